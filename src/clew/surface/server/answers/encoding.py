"""Encode a reply in slices, since 100,000 rows at once would block all other clients.

Each line of a drawing in GraphML looks like a key and its value, so a search for secrets in all of
a large one took a third of a second.
"""

from collections.abc import Sequence
from secrets import token_hex

from msgspec import Raw
from msgspec.structs import replace

from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.surface.server.answers.masking import masked_reply, masked_rows
from clew.values import wire
from clew.values.replies import GraphText, Reply

RUN_CHARACTERS = 16_384  # of a long text that one step encodes, up to the end of the line

# The placeholder of a long value: a random string, which no note contains.
_MARK = f"rows {token_hex(8)}"


def encoded_reply(call: wire.Call, reply: Reply) -> Slices[bytes]:
    """Return the reply to a call without a line end, with its secrets masked.

    Long lists are encoded and masked in runs of rows; no secret extends over several rows. Nor does
    one extend over several lines of a drawing.
    """
    values: dict[bytes, list[bytes]] = {}  # placeholder -> encoded value, in pieces
    marks: dict[str, Raw] = {}
    for name in reply.__struct_fields__:
        value = getattr(reply, name)
        if isinstance(value, tuple | list) and len(value) > SLICE_ROWS:
            encoded = yield from _encoded_rows(call.method, value)
        elif isinstance(reply, GraphText) and name == "text" and len(value) > RUN_CHARACTERS:
            encoded = yield from _encoded_lines(call.method, value)
        else:
            continue
        mark = wire.encode(f"{_MARK} {name}")
        values[mark], marks[name] = encoded, Raw(mark)
    short = replace(reply, **marks) if marks else reply
    line = masked_reply(call.method, wire.encode_result(call.id, short))
    if values:
        line = _with_values(line, values)
        # To join a long line takes milliseconds, and so does what follows: to free the rows, and to
        # hand the line to the connection.
        yield PAUSE
    return line


def _encoded_rows(method: str, rows: Sequence[object]) -> Slices[list[bytes]]:
    pieces: list[bytes] = []
    for start in range(0, len(rows), SLICE_ROWS):
        run = wire.encode(rows[start : start + SLICE_ROWS])
        pieces += (b"," if pieces else b"[", masked_rows(method, run)[1:-1])
        yield PAUSE
    return [*pieces, b"]"]


def _encoded_lines(method: str, text: str) -> Slices[list[bytes]]:
    pieces, start = [b'"'], 0
    while start < len(text):
        end = text.find("\n", start + RUN_CHARACTERS) + 1 or len(text)
        run = wire.encode([text[start:end]])
        pieces.append(masked_rows(method, run)[2:-2])
        start = end
        yield PAUSE
    return [*pieces, b'"']


def _with_values(line: bytes, values: dict[bytes, list[bytes]]) -> bytes:
    """Return the line with its placeholders, which are in the order of ``values``, replaced."""
    pieces: list[bytes] = []
    for mark, value in values.items():
        before, _, line = line.partition(mark)
        pieces += (before, *value)
    return b"".join([*pieces, line])
