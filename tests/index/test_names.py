"""Link resolution as a table of cases; the keys of affected targets as a property."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from clew.index.names import NameIndex, NamingRules
from tests.data import Case, cases
from tests.tables import for_each_row


def index_of(lines: list[str]) -> NameIndex:
    names = NameIndex(NamingRules(titles=True, aliases=True))
    for line in lines:
        if line.startswith("* "):
            names.put_file(line[2:])
        else:
            names.put(line, ())
    return names


@for_each_row("case", cases("resolution.md"))
def test_targets_resolve_as_in_the_case(case: Case) -> None:
    files = case.text.split("\n")
    for names in (index_of(files), index_of(files[::-1])):
        for line in case.expected:
            target, _, path = line.partition(" -> ")
            assert names.resolve(target) == (None if path == "-" else path), line


@for_each_row("case", cases("resolution_near.md"))
def test_targets_resolve_from_a_note_as_in_the_case(case: Case) -> None:
    files = case.text.split("\n")
    for names in (index_of(files), index_of(files[::-1])):
        for line in case.expected:
            place, _, path = line.partition(" -> ")
            note, _, target = place.partition(": ")
            seen = names.seen_from(target, note)
            assert names.resolve(seen) == (None if path == "-" else path), line


NAMES = st.text("aAbéÉ ß_-./\u0345\u0301ſ", min_size=1, max_size=4)
ALIASES = st.lists(NAMES, max_size=2)


@given(
    st.dictionaries(NAMES.map("{}.md".format), ALIASES, max_size=4),
    st.builds("{}{}.md".format, st.sampled_from(["", "f/"]), NAMES),
    ALIASES,
    st.lists(NAMES, max_size=6),
)
def test_a_change_affects_only_targets_with_its_keys(
    notes: dict[str, list[str]], path: str, aliases: list[str], targets: list[str]
) -> None:
    names = NameIndex(NamingRules(titles=True, aliases=True))
    for known, claimed in notes.items():
        names.put(known, claimed)
    for begin, end in product(("", "/", "./", "f/"), ("", "/", "//", ".md/")):
        targets = [*targets, f"{begin}{path[:-3].removeprefix('f/')}{end}"]

    def meaning(target: str) -> tuple[str | None, ...]:
        near = (names.seen_from(target, source) for source in ("f/n.md", "f/f/n.md"))
        return names.resolve(target), names.concept_of_target(target), *near

    before = {target: meaning(target) for target in targets}
    keys = names.put(path, aliases)
    for target in targets:
        if meaning(target) != before[target]:
            assert not keys.isdisjoint(names.keys_of_target(target))


def test_a_note_that_keeps_its_names_affects_no_target() -> None:
    names = NameIndex(NamingRules(titles=True, aliases=True))
    names.put("a.md", ["Nick"])
    assert names.put("a.md", ["nick", "Nick"]) == set()
    assert names.put("a.md", ["nick", "other"])


@for_each_row("path", ["a___b.md", "pages/a%2Fb.md"])
def test_a_file_that_logseq_named_affects_links_to_its_page(path: str) -> None:
    names = NameIndex(NamingRules(titles=True, aliases=True))
    assert not names.put(path, ()).isdisjoint(names.keys_of_target("a/b"))
    assert not names.drop(path).isdisjoint(names.keys_of_target("A/b.md"))


@for_each_row(
    ("target", "path"),
    [
        ("/a/b", "a___b.md"),
        ("/a:b", "a%3Ab.md"),
        ("/a:b", "%2Fa%3Ab.md"),
        ("/a/b", "___a___b.md"),
        ("a/b/", "a___b___.md"),
    ],
)
def test_a_path_from_the_top_and_a_slash_at_the_end_name_no_page(target: str, path: str) -> None:
    assert index_of([path]).resolve(target) is None


def test_a_slash_at_the_end_of_a_page_does_not_matter() -> None:
    assert index_of(["a___b.md"]).resolve("a/b/") == "a___b.md"


def test_a_note_with_the_name_of_another_affects_links_by_its_aliases() -> None:
    names = NameIndex(NamingRules(titles=True, aliases=True))
    names.put("a/x.md", ["Nick"])
    assert names.concept_of_target("Nick") == "x"
    keys = names.put("f/x.md", ())
    assert names.concept_of_target("Nick") == "a-x"
    assert not keys.isdisjoint(names.keys_of_target("Nick"))


def test_of_several_files_for_one_page_the_one_with_the_shortest_path_is_meant() -> None:
    assert index_of(["long/a___b.md", "z/a___b.md", "y/a___b.md"]).resolve("a/b") == "y/a___b.md"
