"""The revisions of the Model Context Protocol that the bridge speaks, and the two eras they form.

Up to 2025-11-25, a client begins with the ``initialize`` handshake. Since 2026-07-28 there is none:
every request has its revision in ``_meta``, and ``server/discover`` returns the capabilities.

Source: https://modelcontextprotocol.io/specification, and ``mcp_types/version.py`` of the Python
SDK 2.3.
"""

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE = ("2026-07-28",)
WITH_BATCHES = "2025-03-26"  # the only revision with batches

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"


def agreed(offered: object) -> str:
    """Return the revision that answers the offer of an ``initialize`` request."""
    return offered if isinstance(offered, str) and offered in HANDSHAKE else HANDSHAKE[-1]
