"""Encode a reply in slices: 100,000 rows at once would hold all other clients."""

from secrets import token_hex

from msgspec import Raw
from msgspec.structs import replace

from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.surface.server.answers.masking import masked_reply, masked_rows
from clew.values import wire
from clew.values.replies import Reply

# A string that is in no note, in place of a long list.
_MARK = f"rows {token_hex(8)}"


def encoded_reply(call: wire.Call, reply: Reply) -> Slices[bytes]:
    """Return the reply to a call without a line end, with its secrets masked.

    Long lists are encoded and masked in runs of rows, since no secret reaches across rows.
    """
    lists: dict[bytes, list[bytes]] = {}  # by what stands in their place
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
    """Return a line with lists in place of their marks, which it has in the same order."""
    parts: list[bytes] = []
    for mark, runs in lists.items():
        before, _, line = line.partition(mark)
        parts.append(before + b"[")
        for run in runs:
            parts += (run, b",")
        parts[-1] = b"]"
    return b"".join([*parts, line])
