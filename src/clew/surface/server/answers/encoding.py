"""Encode a reply in slices, since 100,000 rows at once would block all other clients."""

from secrets import token_hex

from msgspec import Raw
from msgspec.structs import replace

from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.surface.server.answers.masking import masked_reply, masked_rows
from clew.values import wire
from clew.values.replies import Reply

# The placeholder of a long list: a random string, which no note contains.
_MARK = f"rows {token_hex(8)}"


def encoded_reply(call: wire.Call, reply: Reply) -> Slices[bytes]:
    """Return the reply to a call without a line end, with its secrets masked.

    Long lists are encoded and masked in runs of rows; no secret extends over several rows.
    """
    lists: dict[bytes, list[bytes]] = {}  # placeholder -> encoded runs of the list
    marks: dict[str, Raw] = {}
    for name in reply.__struct_fields__:
        rows = getattr(reply, name)
        if isinstance(rows, tuple | list) and len(rows) > SLICE_ROWS:
            runs = []
            for start in range(0, len(rows), SLICE_ROWS):
                run = wire.encode(rows[start : start + SLICE_ROWS])
                runs.append(masked_rows(call.method, run)[1:-1])
                yield PAUSE
            mark = wire.encode(f"{_MARK} {name}")
            lists[mark], marks[name] = runs, Raw(mark)
    short = replace(reply, **marks) if marks else reply
    line = masked_reply(call.method, wire.encode_result(call.id, short))
    return _with_lists(line, lists) if lists else line


def _with_lists(line: bytes, lists: dict[bytes, list[bytes]]) -> bytes:
    """Return the line with its placeholders, which are in the order of ``lists``, replaced."""
    pieces: list[bytes] = []
    for mark, runs in lists.items():
        before, _, line = line.partition(mark)
        pieces.append(before + b"[")
        for run in runs:
            pieces += (run, b",")
        pieces[-1] = b"]"
    return b"".join([*pieces, line])
