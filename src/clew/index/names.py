"""Names of the vault: the note that a link leads to, and the concept that a link names.

A link's text is first made canonical (``canonical_target``): ``./x`` and ``../x`` become
``/dir/x``, so that the text means the same in every note. Two questions are then answered about it.

*Which file does it lead to?* (``resolve``) As in Obsidian, letter case, Unicode form and a
``.md`` extension do not matter, and folders may be left out from the left: ``c``, ``b/c`` and
``/a/b/c`` all lead to ``a/b/c.md``. Candidates are the files whose folded name is the last part of
the target; notes such as ``pic.png.md`` only if no file has the name ``pic.png``.
``clew.index.same_named`` chooses among files with one name. If there are none, files count that
Logseq named after the target, a page: ``a___b.md`` for ``a/b``.

Where several files have a name, the place of a link tells which one is meant. A link that leads
elsewhere for that reason is entered with the folder of its file (``seen_from``), so that a target
means the same in every note.

*Which concept does it name?* (``concept_of_target``) The first that applies:

1. none, if the target is empty or an attachment;
2. the id of the note it leads to;
3. the id of the only note that claims the text as an alias, unless it is the stem of another note;
4. the text itself, normalized.

The id of a note is its normalized stem, or its normalized path if several notes share that stem.
Last, the vault's rules (``apply_rules``) merge a concept into another or ignore it.

Both answers depend on the whole set of notes: adding ``b/x.md`` changes the meaning of ``[[x]]``
everywhere. To avoid resolving all targets after each change, every target depends on a few keys
(``keys_of_target``), and every change of a note returns the keys whose targets it may affect. The
result never depends on the order of edits.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from msgspec import Struct

from clew.index.named_files import NamedFiles
from clew.index.same_named import SameNamed, as_written, closest, folded_path
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.records import Records
from clew.index.structures.stored_map import Rows, StoredMap, value_columns
from clew.index.structures.string_table import StringTable
from clew.text.concept import fold_name, normalize, spoken_form
from clew.text.filename import (
    absolute_target,
    file_name,
    is_attachment,
    logseq_stems,
    shown_name,
    without_extension,
)
from clew.values.packing import Unpacker, pack
from clew.values.vault import ConceptRules


@dataclass(frozen=True, slots=True)
class NamingRules:
    """Which names of notes may name a concept, besides the bare text of a link."""

    titles: bool  # A link to a note names the concept of the note.
    aliases: bool  # A link by an alias names the concept of the only note with it.


class NoteNames(Struct, frozen=True, array_like=True, gc=False):
    """The names of one note in the forms in which names are compared."""

    fold: str  # of the stem: folded case and Unicode form
    stem: str  # normalized
    aliases: tuple[str, ...]  # normalized, without duplicates


_unpack_names: Unpacker[NoteNames] = Unpacker(NoteNames)
_unpack_aliases: Unpacker[list[str]] = Unpacker(list[str])
_unpack_rules: Unpacker[ConceptRules] = Unpacker(ConceptRules)


def canonical_target(target: str, source_path: str) -> str:
    """Return ``target`` in a form that means the same in all notes: ``../x`` becomes ``/dir/x``."""
    return absolute_target(target, source_path) or target


class NameIndex:
    """Stems, paths and aliases of all notes, kept up to date note by note."""

    def __init__(self, naming: NamingRules) -> None:
        self.naming = naming
        self.rules = ConceptRules()
        self._names_by_path: LayeredMap[str, NoteNames] = LayeredMap()
        self._files = NamedFiles()
        self._paths_by_stem: multimap.Multimap = LayeredMap()  # by normalized stem
        self._paths_by_alias: multimap.Multimap = LayeredMap()  # by normalized alias
        # Only spoken forms that differ from the name.
        self._paths_by_spoken_form: multimap.Multimap = LayeredMap()
        self._contested: LayeredMap[str, bool] = LayeredMap()  # the aliases that name no note

    def copy(self) -> "NameIndex":
        """Return an index of the same names, in constant time; later changes do not reach it."""
        other = NameIndex(self.naming)
        other.rules = self.rules
        other._names_by_path = self._names_by_path.copy()
        other._files = self._files.copy()
        other._paths_by_stem = self._paths_by_stem.copy()
        other._paths_by_alias = self._paths_by_alias.copy()
        other._paths_by_spoken_form = self._paths_by_spoken_form.copy()
        other._contested = self._contested.copy()
        return other

    # -- changes ------------------------------------------------------------------------------

    def put(self, path: str, aliases: Iterable[str]) -> set[str]:
        """Add or replace a note; return the keys of targets that may be affected, if any."""
        stem = file_name(path)
        normalized = tuple(dict.fromkeys(filter(None, map(normalize, aliases))))
        names = NoteNames(fold_name(stem), normalize(shown_name(stem)), normalized)
        if names == self._names_by_path.get(path):
            return set()
        keys = self.drop(path)
        self.restore(path, names)
        return keys | self._affected_keys(path)

    def restore(self, path: str, names: NoteNames) -> None:
        """Add a note that is not in the index, with the names that ``names_of`` returned."""
        self._names_by_path[path] = names
        self._files.put_note(names.fold, path)
        multimap.add(self._paths_by_stem, names.stem, path)
        for form in _spoken_forms(names):
            multimap.add(self._paths_by_spoken_form, form, path)
        for alias in names.aliases:
            multimap.add(self._paths_by_alias, alias, path)
        self._check_contested(names)

    def drop(self, path: str) -> set[str]:
        """Remove a note; return the keys of targets that may be affected."""
        names = self._names_by_path.get(path)
        if names is None:
            return set()
        keys = self._affected_keys(path)
        del self._names_by_path[path]
        self._files.drop_note(names.fold, path)
        multimap.discard(self._paths_by_stem, names.stem, path)
        for form in _spoken_forms(names):
            multimap.discard(self._paths_by_spoken_form, form, path)
        for alias in names.aliases:
            multimap.discard(self._paths_by_alias, alias, path)
        self._check_contested(names)
        return keys

    def _check_contested(self, names: NoteNames) -> None:
        """Update the contested aliases after a note with these names was added or dropped."""
        for alias in (names.stem, *names.aliases):
            claimants = self._paths_by_alias.get(alias, set())
            others = self._paths_by_stem.get(alias, set()) - claimants
            if len(claimants) > 1 or (claimants and others):
                self._contested[alias] = True
            else:
                self._contested.pop(alias, None)

    def put_file(self, path: str) -> set[str]:
        """Add a file that is not an indexed note but may be linked to; return affected keys."""
        fold = _folded_name(path)
        self._files.put_other(fold, path)
        return {fold}

    def drop_file(self, path: str) -> set[str]:
        """Remove a file that is not an indexed note; return the keys of affected targets."""
        fold = _folded_name(path)
        self._files.drop_other(fold, path)
        return {fold}

    def _affected_keys(self, path: str) -> set[str]:
        """Return the keys of all targets that could depend on the note at ``path``.

        This note can change the ids of the notes with an equal stem, so the keys of their names are
        affected too. That includes their folded stems, since two stems that normalize alike can
        fold differently.
        """
        names = self._names_by_path[path]
        keys = {names.fold, names.stem, *names.aliases}
        for other in self._paths_by_stem.get(names.stem, ()):
            keys.add(self._names_by_path[other].fold)
            keys.update(self._names_by_path[other].aliases)
        return keys

    @staticmethod
    def keys_of_target(target: str) -> set[str]:
        """Return the keys of ``target``; if one is affected, the target must be resolved again."""
        bare = without_extension(target).strip("/")  # as in ``resolve``
        last = bare.rpartition("/")[2]
        stems = map(fold_name, (last, *logseq_stems(bare)))
        return {*stems, normalize(last), normalize(without_extension(as_written(target)))}

    # -- storing ------------------------------------------------------------------------------

    def columns(self, notes: Rows) -> Iterator[Column]:
        """Yield the names as columns, for ``read``."""
        yield "rules", [pack(self.rules)]
        yield from named("byPath", value_columns(self._names_by_path, pack, notes))
        yield from named("files", self._files.columns())
        for name, paths_by_name in self._multimaps():
            yield from named(name, multimap.columns(paths_by_name))
        yield "contested", [pack(sorted(self._contested))]

    @classmethod
    def read(cls, columns: Columns, naming: NamingRules, paths: StringTable) -> "NameIndex":
        """Return the names that ``columns`` wrote; ``paths`` has the paths of notes by id.

        Raises:
            ValueError, LookupError: there are none.
        """
        index = cls(naming)
        index.rules = _unpack_rules(columns.data("rules"))
        names = Records(columns.of("byPath"))
        index._names_by_path = LayeredMap(StoredMap(paths, names, _unpack_names))
        index._files = NamedFiles.read(columns.of("files"))
        index._paths_by_stem = multimap.read(columns.of("byStem"))
        index._paths_by_alias = multimap.read(columns.of("byAlias"))
        index._paths_by_spoken_form = multimap.read(columns.of("bySpokenForm"))
        contested = _unpack_aliases(columns.data("contested"))
        index._contested = LayeredMap(dict.fromkeys(contested, True))
        return index

    def _multimaps(self) -> tuple[tuple[str, multimap.Multimap], ...]:
        return (
            ("byStem", self._paths_by_stem),
            ("byAlias", self._paths_by_alias),
            ("bySpokenForm", self._paths_by_spoken_form),
        )

    # -- where links lead -----------------------------------------------------------------------

    def resolve(self, target: str) -> str | None:
        """Return the path of the file that a canonical target leads to, as Obsidian resolves it."""
        if not target:
            return None
        path = self._files_called(target).meant_anywhere(target)
        return path if path is not None else self._page_of_logseq(target)

    def seen_from(self, target: str, source_path: str) -> str:
        """Return the text under which a link in a note is entered: its canonical target.

        If that means another file here than in most notes, the folder of the file stands before it.
        """
        folder = source_path.rpartition("/")[0]
        if not folder or not self._files.are_several(_name_of_target(target)):
            return target
        return self._files_called(target).seen_from(target, folder)

    def _files_called(self, target: str) -> SameNamed:
        return self._files.called(_name_of_target(target)).spelled_like(target)

    def are_several(self, name: str) -> bool:
        """Return whether several files have a folded name."""
        return self._files.are_several(name)

    def _page_of_logseq(self, target: str) -> str | None:
        """Return the note whose file Logseq named after a page: ``a___b.md`` for ``a/b``."""
        page = "" if target.startswith("/") else without_extension(target).rstrip("/")
        for stem in logseq_stems(page):
            if paths := self._files.notes_called(fold_name(stem)):
                return min(paths, key=lambda path: (len(path), path))
        return None

    def closest_notes(self, target: str) -> list[str]:
        """Return the notes that a target may mean: more than one only if a link is ambiguous.

        Where a link is does not count; see ``closest_near``.
        """
        notes = SameNamed(self._files.notes_called(_name_of_target(target))).spelled_like(target)
        return closest(notes.meant(target), target)

    def closest_near(self, target: str, folder: str) -> list[str]:
        """Return the notes in or below ``folder`` that a target may mean in a note of ``folder``.

        There are none if the place of the link does not count.
        """
        notes = self._files_called(target).notes_near(target, folder)
        return closest(notes, target)

    # -- what links name ------------------------------------------------------------------------

    def concept_of_target(self, target: str) -> str | None:
        """Return the concept that a canonical target names, or ``None`` if it names none."""
        return self.apply_rules(self._name_of_target(target))

    def is_ignored(self, target: str) -> bool:
        """Return whether the vault's rules ignore the concept that a canonical target names."""
        name = self._name_of_target(target)
        return self.rules.merged.get(name, name) in self.rules.ignored

    def _name_of_target(self, target: str) -> str:
        """Return the concept that a canonical target names before merges; "" if none."""
        if not target or is_attachment(target):
            return ""
        if self.naming.titles and (path := self.resolve(target)):
            return self.note_id(path)
        name = normalize(without_extension(as_written(target)))
        if self.naming.aliases and (path := self.note_of_alias(name)):
            return self.note_id(path)
        return name

    def concept_of_note(self, path: str) -> str | None:
        """Return the concept of the note at ``path``, after merges; ``None`` if ignored."""
        return self.apply_rules(self.note_id(path))

    def concept_of_text(self, text: str) -> str | None:
        """Return the concept of ``text`` itself, without resolving it to a note, after merges."""
        return self.apply_rules(normalize(text))

    def note_id(self, path: str) -> str:
        """Return the concept of the note at ``path``, before merges."""
        stem = normalize(shown_name(file_name(path)))
        if stem and self._paths_by_stem.get(stem, set()) <= {path}:
            return stem
        return normalize(shown_name(without_extension(path)))

    def note_of_alias(self, alias: str) -> str | None:
        """Return the only note that claims ``alias``, unless another note has it as its stem."""
        claimants = self._paths_by_alias.get(alias, set())
        if len(claimants) != 1:
            return None
        (path,) = claimants
        return path if not self._paths_by_stem.get(alias, set()) - {path} else None

    def notes_with_stem(self, stem: str) -> AbstractSet[str]:
        """Return the notes with this normalized stem."""
        return self._paths_by_stem.get(stem, set())

    def notes_with_alias(self, alias: str) -> AbstractSet[str]:
        """Return the notes that claim this normalized alias."""
        return self._paths_by_alias.get(alias, set())

    @property
    def notes_by_alias(self) -> multimap.Multimap:
        """The notes that claim each normalized alias; only to be read."""
        return self._paths_by_alias

    def apply_rules(self, concept: str) -> str | None:
        """Return the concept that a normalized name merges into; ``None`` if it is ignored."""
        concept = self.rules.merged.get(concept, concept)
        return concept if concept and concept not in self.rules.ignored else None

    # -- names of notes -------------------------------------------------------------------------

    def names_of(self, path: str) -> NoteNames:
        """Return the names of the note at ``path``."""
        return self._names_by_path[path]

    def files(self) -> set[str]:
        """Return the paths of all files that are not indexed notes."""
        return self._files.others()

    def has_file(self, path: str) -> bool:
        """Return whether there is a file at ``path`` that is not an indexed note."""
        return self._files.has_other(_folded_name(path), path)

    def notes_called(self, name: str) -> set[str]:
        """Return the notes with this stem or alias, else those with it as a spoken form."""
        stems, aliases = self._paths_by_stem.get(name), self._paths_by_alias.get(name)
        if stems and aliases:
            return stems | aliases
        return stems or aliases or self._paths_by_spoken_form.get(name) or set()

    def notes_sharing_stem(self, path: str) -> frozenset[str]:
        """Return the notes whose normalized stem equals that of ``path``."""
        return frozenset(self._paths_by_stem.get(normalize(shown_name(file_name(path))), ()))

    def shared_names(self) -> Iterator[AbstractSet[str]]:
        """Yield, for each file name that several notes share ignoring case, these notes."""
        return self._files.shared_names()

    def contested_aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Return the aliases that name no note, since several claim them or a note has that stem.

        The values are the sorted paths of the notes that claim the alias.
        """
        return {
            alias: tuple(sorted(self._paths_by_alias[alias])) for alias in sorted(self._contested)
        }


def _spoken_forms(names: NoteNames) -> set[str]:
    """Return the spoken forms of a note's names that differ from the names."""
    written = {names.stem, *names.aliases}
    return {spoken_form(name) for name in written} - written - {""}


def _folded_name(path: str) -> str:
    return fold_name(file_name(path))


def _name_of_target(target: str) -> str:
    return folded_path(target).rpartition("/")[2]
