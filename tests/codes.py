"""Small projects of code for tests: files by path, parsed and indexed."""

from collections.abc import Mapping
from itertools import chain

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.constructors import constructed_class
from clew.index.code.edges import Edge, callers_by_file, calls_of, passed_by_file
from clew.text.code.languages import language_of_file
from clew.text.code.parse import parse_code
from clew.values.code.code_file import CodeFile


def code_file(path: str, text: str) -> CodeFile:
    language = language_of_file(path)
    assert language is not None
    file, problem = parse_code(path, text, language)
    assert file is not None, problem
    return file


def index_of(files: Mapping[str, str]) -> CodeIndex:
    index = CodeIndex()
    for path, text in files.items():
        index.put(code_file(path, text))
    return index


def shown_edges(index: CodeIndex) -> list[str]:
    """Return all edges of calls, each as ``file:line target via``, sorted."""
    return sorted(
        f"{path}:{edge.line} {index.entity(edge.target).symbol_id} {edge.via}"
        for path, file in index.files.items()
        for entity in range(len(file.entities))
        for edge in calls_of(index, (path, entity)).edges
    )


def callers_of(index: CodeIndex, ref: Ref) -> tuple[Edge, ...]:
    return tuple(chain.from_iterable(callers_by_file(index, ref)))


def calls_to_all(index: CodeIndex) -> set[Edge]:
    """Return all edges of calls from their other ends; a constructor has some of its class."""
    return {
        edge
        for ref in all_refs(index)
        for edge in callers_of(index, ref)
        if constructed_class(index, ref) is None or edge in calls_of(index, edge.source).edges
    }


def shown_passed(index: CodeIndex) -> list[str]:
    """Return all places that hand over an entity, each as ``file:line in target via``, sorted."""
    return sorted(
        f"{edge.source[0]}:{edge.line} {index.entity(edge.source).qualified} "
        f"{index.entity(edge.target).symbol_id} {edge.via}"
        for ref in all_refs(index)
        for edge in passed_of(index, ref)
    )


def passed_of(index: CodeIndex, ref: Ref) -> tuple[Edge, ...]:
    return tuple(chain.from_iterable(passed_by_file(index, ref)))


def all_refs(index: CodeIndex) -> list[Ref]:
    return [
        (path, entity) for path in sorted(index.files)
        for entity in range(len(index.files[path].entities))
    ]  # fmt: skip
