"""Read the fenced code of a note, block by block, where its language is known.

Each block is a ``CodeFile`` by itself: blocks of one note may show the same function before and
after a change. Lines are those of the note, and symbols have its path.

tree-sitter is loaded with the first block in a known language, and never without one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from clew.text.code.languages import language_of_fence
from clew.text.markdown.blocks import Fence
from clew.values.code.code_file import CodeFile, Entity, block_path
from clew.values.note import Problem

BLOCKS_MAX = 200  # of one note
BYTES_MAX = 256 * 1024  # of all of them
EXHAUSTED_MAX = 2  # blocks of one note that used up the work allowed for errors
SKIPPED_LISTED_MAX = 20  # problems of one note


class FencedCode(NamedTuple):
    """The code of one note."""

    files: tuple[CodeFile, ...] = ()
    problems: tuple[Problem, ...] = ()


NO_CODE = FencedCode()


def read_fences(path: str, fences: Sequence[Fence], body_line: int) -> FencedCode:
    """Return the code in the ``fences`` of a note whose body begins at the 0-based ``body_line``.

    A block that is too large, or takes too much work, is left out, with a problem. After two blocks
    that are full of errors no more are read, since such blocks could be many.
    """
    with_language = [(fence, language_of_fence(fence.info)) for fence in fences]
    code_fences = [(fence, language) for fence, language in with_language if language is not None]
    if not code_fences:
        return NO_CODE
    from clew.text.code.parse import parse_code  # noqa: PLC0415 - only where there is code
    from clew.text.code.syntax import ERROR_WORK_MAX, Errors  # noqa: PLC0415 - only where there is code

    files: list[CodeFile] = []
    problems: list[Problem] = []
    uses: Counter[str] = Counter()
    room = BYTES_MAX
    errors, exhausted = Errors(), 0
    for count, (fence, language) in enumerate(code_fences):
        fence_line = body_line + fence.line  # 1-based: the line with the fence, above the code
        size = len(fence.content.encode("utf-8", "replace"))
        message = ""
        if count >= BLOCKS_MAX or (size > room and size <= BYTES_MAX):
            message = f"code beyond {BLOCKS_MAX} blocks or {BYTES_MAX // 1024} KiB is not read"
        elif exhausted == EXHAUSTED_MAX:
            message = f"code after {EXHAUSTED_MAX} blocks that are full of errors is not read"
        if message:
            problems.append(Problem(path, "codeSkipped", fence_line, message))
            break
        if size <= BYTES_MAX:  # larger code is refused at once
            room -= size
        file, problem = parse_code(path, fence.content, language, errors)
        if errors.are_too_many:
            errors, exhausted = Errors(ERROR_WORK_MAX // 2), exhausted + 1
        if problem is not None:
            problems.append(replace(problem, line=fence_line))
        if file is not None:
            files.append(_as_block(file, len(files) + 1, fence_line, uses))
    return FencedCode(tuple(files), tuple(problems[:SKIPPED_LISTED_MAX]))


def _as_block(file: CodeFile, number: int, lines: int, uses: Counter[str]) -> CodeFile:
    """Return code as block ``number`` of its note, moved down by ``lines`` lines."""

    def moved(entity: Entity) -> Entity:
        symbol = f"{file.path}::{entity.qualified}::{entity.kind}"
        uses[symbol] += 1
        if uses[symbol] > 1:
            symbol += f"#{uses[symbol]}"
        first, last = entity.first_line + lines, entity.last_line + lines
        return replace(entity, first_line=first, last_line=last, symbol_id=symbol)

    return replace(
        file,
        path=block_path(file.path, number),
        entities=tuple(map(moved, file.entities)),
        calls=tuple(replace(call, line=call.line + lines) for call in file.calls),
        imports=tuple(replace(item, line=item.line + lines) for item in file.imports),
        bases=tuple(replace(base, line=base.line + lines) for base in file.bases),
        passed=tuple(replace(each, line=each.line + lines) for each in file.passed),
    )
