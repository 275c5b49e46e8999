"""Encode the rows of a long reply in slices: 100,000 rows at once would hold all other clients."""

from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.values import wire
from clew.values.replies import Reply


def with_encoded_rows(reply: Reply) -> Slices[Reply]:
    """Return the reply with its long lists encoded, so that the rest takes a moment to encode."""
    encoded: dict[str, Any] = {}
    for name in reply.__struct_fields__:
        rows = getattr(reply, name)
        if isinstance(rows, tuple | list) and len(rows) > SLICE_ROWS:
            runs = []
            for start in range(0, len(rows), SLICE_ROWS):
                runs.append(wire.encode(rows[start : start + SLICE_ROWS])[1:-1])
                yield PAUSE
            encoded[name] = Raw(b"[%b]" % b",".join(runs))
    return replace(reply, **encoded) if encoded else reply
