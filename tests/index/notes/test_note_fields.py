"""Each filter passes the notes that a plain reading of every note finds."""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.index.notes.facts import NoteFacts
from clew.index.notes.note_fields import NoteFields
from clew.index.notes.note_lists import KINDS, kind_name, kinds_of
from clew.index.structures.columns import file_pieces, split_file
from clew.text.concept import fold_name, fold_tag, unicode_form
from clew.text.terms import without_accents
from clew.values.arrays import BoolArray
from clew.values.vault import Stamp

Filed = tuple[str, NoteFacts]  # a path and the facts of the note there

NAMES = ("Log", "log book", "été", "e\u0301te\u0301", "Straße", "STRASSE", "a_b", "\udce9")
names = st.sampled_from(NAMES)
folders = st.lists(names, max_size=3).map(lambda parts: "".join(f"{part}/" for part in parts))
paths = st.builds(lambda folder, name: f"{folder}{name}.md", folders, names)
tags = st.lists(names, min_size=1, max_size=2).map(lambda parts: fold_tag("/".join(parts)))
facts = st.builds(
    NoteFacts,
    content_hash=st.just(""),
    title=st.lists(names, max_size=3).map("-".join),
    headings=st.just(()),
    type=st.sampled_from(("note", *NAMES)),
    importance=st.sampled_from((0.0, 0.5, 1.0)),
    pinned=st.booleans(),
    source=st.sampled_from((None, "", "Log/", "https://Log.org", "/Log/log book")),
    tags=st.lists(tags, max_size=3).map(tuple),
    stated_created_s=st.none(),
    stated_modified_s=st.none(),
    stamp=st.just(Stamp(1, 1, 1, 1)),
    is_racy=st.booleans(),
    links_to_notes=st.booleans(),
    problems=st.just(()),
)
kinds = st.tuples(names.map(kind_name), st.sampled_from(range(len(KINDS))))
asked = st.sampled_from(
    (
        "",
        "log",
        "Log",
        "log book",
        "été",
        "ÉTÉ",
        "E\u0301te\u0301",
        "e\u0301te\u0301",
        "straße",
        "ete",
        "réunion",
        "a_b",
        "g/l",
        "x",
    )
)


class Model:
    """Notes by id, and the fields that should say the same."""

    def __init__(self) -> None:
        self.notes: list[Filed] = []
        self.fields = NoteFields()

    def put(self, changed: Sequence[NoteFacts], new: Sequence[Filed]) -> None:
        """Change the first notes, and add others."""
        known = zip(self.notes, changed, strict=False)
        rows = dict(enumerate((path, facts) for (path, _), facts in known))
        rows |= dict(enumerate(new, len(self.notes)))
        self.fields.put(rows)
        self.notes = [rows.get(note_id, note) for note_id, note in enumerate(self.notes)]
        self.notes += new

    def keep(self, is_kept: Sequence[bool]) -> None:
        """Leave out notes, and give the others new ids."""
        kept = [id_ for id_, each in zip(range(len(self.notes)), is_kept, strict=False) if each]
        self.fields.keep(np.array(kept, np.int64))
        self.notes = [self.notes[note_id] for note_id in kept]

    def store(self) -> None:
        """Write the fields, and read them again."""
        file = b"".join(file_pieces(self.fields.columns()))
        self.fields = NoteFields.read(split_file(memoryview(file)))


steps = st.one_of(
    st.builds(
        lambda changed, new: lambda model: model.put(changed, new),
        st.lists(facts, max_size=2),
        st.lists(st.tuples(paths, facts), max_size=3),
    ),
    st.builds(lambda kept: lambda model: model.keep(kept), st.lists(st.booleans(), max_size=6)),
    st.just(Model.store),
)


@given(st.lists(steps, min_size=1, max_size=6), asked, st.data())
def test_filters_find_what_a_plain_reading_finds(
    steps: Sequence[Callable[[Model], None]], text: str, data: st.DataObject
) -> None:
    model = Model()
    copied_at = data.draw(st.integers(0, len(steps) - 1))
    for number, step in enumerate(steps):
        if number == copied_at:
            copied, notes = model.fields.copy(), list(model.notes)
        step(model)
    for fields, expected in ((model.fields, model.notes), (copied, notes)):
        found = dict(filters(fields, text))
        for name, passes in plain(text).items():
            assert found[name].tolist() == [passes(*note) for note in expected], name
        asked_for = data.draw(st.sets(kinds))
        some = data.draw(st.lists(st.sampled_from(range(len(expected))))) if expected else []
        are_of = fields.are_of_kinds(np.array(some, np.int64), asked_for)
        assert are_of.tolist() == [
            not asked_for.isdisjoint(kinds_of(*expected[note_id])) for note_id in some
        ]
        is_live = np.array([path != "Log.md" for path, _ in expected], np.bool_)
        folders = {path.rpartition("/")[0] for path, _ in expected if path != "Log.md"}
        assert sorted(fields.folders(is_live)) == sorted(folders)


def filters(fields: NoteFields, text: str) -> Iterator[tuple[str, BoolArray]]:
    folder = f"{text}/" if text else ""
    yield "folder", fields.in_folder(folder)
    yield "type", fields.of_type(text)
    yield "tag", fields.with_tag(fold_tag(text))
    yield "source", fields.from_source(text)
    yield "stated source", fields.from_source(f"https://{text}.org/")
    yield "importance", fields.with_importance(0.5)
    yield "path", fields.with_path(text)
    yield "file", fields.with_file_name(text)
    yield "titled", fields.titled(kind_name(text) or "log")
    for kind in KINDS:
        yield kind_of(kind), fields.of_kind(kind, kind_name(text))


def kind_of(kind: str) -> str:
    return f"kind {kind}"


def words(title: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold_name(title)))


def plain(text: str) -> dict[str, Callable[[str, NoteFacts], bool]]:
    """Return what each of ``filters`` asks of one note."""
    folder, folded, tag = f"{text}/" if text else "", fold_name(text), fold_name(fold_tag(text))
    name = kind_name(text)

    def is_from(path: str, facts: NoteFacts, source: str) -> bool:
        stated = fold_name(facts.source or "").rstrip("/")
        within = fold_name(path).startswith(f"{source}/")
        return bool(source) and (stated == source or within)

    found: dict[str, Callable[[str, NoteFacts], bool]] = {
        "folder": lambda path, _: unicode_form(path).startswith(unicode_form(folder)),
        "type": lambda _, facts: fold_name(facts.type) == folded,
        "tag": lambda _, facts: any(
            f"{fold_name(each)}/".startswith(f"{tag}/") for each in facts.tags if tag
        ),
        "source": lambda path, facts: is_from(path, facts, folded),
        "stated source": lambda path, facts: is_from(path, facts, f"https://{text.casefold()}.org"),
        "importance": lambda _, facts: facts.importance >= 0.5,
        "path": lambda path, _: without_accents(folded) in without_accents(fold_name(path)),
        "file": lambda path, _: (
            without_accents(folded) in without_accents(fold_name(path.rpartition("/")[2]))
        ),
        "titled": lambda _, facts: f" {name or 'log'} " in f" {words(facts.title)} ",
    }
    found |= {kind_of(kind): is_of(name, number) for number, kind in enumerate(KINDS)}
    return found


def is_of(name: str, kind: int) -> Callable[[str, NoteFacts], bool]:
    return lambda path, facts: (name, kind) in kinds_of(path, facts)
