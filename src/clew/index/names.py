"""Names of the vault: which note a link leads to, and which concept a link names.

Both are functions of the whole set of notes, so the order of edits never matters. After a change,
``put`` and ``drop`` tell which targets may now resolve otherwise, so only those are asked again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from clew.text.concept import fold_name, normalize, spoken
from clew.text.filename import NOTE_EXTENSIONS, extension_of, is_attachment, shown_name
from clew.values.vault import ConceptRules


@dataclass(frozen=True, slots=True)
class NamingRules:
    """What may name a concept besides the bare text of a link."""

    titles: bool  # a link names the note it resolves to
    aliases: bool  # a link names the note that alone claims its text as an alias


class NoteNames(Struct, frozen=True, array_like=True, gc=False):
    """What a note is called, made ready for comparing; costly enough to be kept."""

    fold: str  # of the stem
    stem: str  # normalized
    aliases: tuple[str, ...]  # normalized, each once


def without_extension(path: str) -> str:
    """Return a path or target without ``.md`` or ``.markdown`` at its end."""
    stem, dot, extension = path.rpartition(".")
    return stem if dot and extension.lower() in NOTE_EXTENSIONS else path


class NameIndex:
    """Stems, paths and aliases of all notes, kept up to date note by note."""

    def __init__(self, naming: NamingRules) -> None:
        self._naming = naming
        self.rules = ConceptRules()
        self._of: dict[str, NoteNames] = {}  # path -> what the note is called
        self._by_fold: dict[str, set[str]] = {}  # folded stem -> paths
        self._by_stem: dict[str, set[str]] = {}  # normalized stem -> paths of notes
        self._by_alias: dict[str, set[str]] = {}  # normalized alias -> paths
        self._by_words: dict[str, set[str]] = {}  # ``spoken`` stems and aliases that say less
        self._files: dict[str, set[str]] = {}  # folded name with extension -> paths, attachments

    def put(self, path: str, aliases: Iterable[str]) -> set[str]:
        """Add or replace a note; return the keys of targets that may be affected."""
        keys = self.drop(path)
        stem = _stem(path)
        known = tuple(dict.fromkeys(filter(None, map(normalize, aliases))))
        self.restore(path, NoteNames(fold_name(stem), normalize(shown_name(stem)), known))
        return keys | self._keys_of(path)

    def restore(self, path: str, names: NoteNames) -> None:
        """Add a note that is not there yet, called as ``names_of`` told."""
        self._of[path] = names
        _add(self._by_fold, names.fold, path)
        _add(self._by_stem, names.stem, path)
        for words in _said_of(names):
            _add(self._by_words, words, path)
        for alias in names.aliases:
            _add(self._by_alias, alias, path)

    def containers(self) -> tuple[dict[str, Any], ...]:
        """Return everything large that this holds, for whoever lets go of it."""
        return self._of, self._by_fold, self._by_stem, self._by_alias, self._by_words, self._files

    def names_of(self, path: str) -> NoteNames:
        """Return what the note at ``path`` is called."""
        return self._of[path]

    def files(self) -> set[str]:
        """Return the paths of all files that are no indexed notes."""
        return {path for paths in self._files.values() for path in paths}

    def drop(self, path: str) -> set[str]:
        """Remove a note; return the keys of targets that may be affected."""
        names = self._of.get(path)
        if names is None:
            return set()
        keys = self._keys_of(path)
        del self._of[path]
        _discard(self._by_fold, names.fold, path)
        _discard(self._by_stem, names.stem, path)
        for words in _said_of(names):
            _discard(self._by_words, words, path)
        for alias in names.aliases:
            _discard(self._by_alias, alias, path)
        return keys

    def put_file(self, path: str) -> set[str]:
        """Add a file that is no indexed note: links to it resolve; return the affected keys."""
        name = path.rpartition("/")[2]
        _add(self._files, fold_name(without_extension(name)), path)
        return {fold_name(without_extension(name))}

    def drop_file(self, path: str) -> set[str]:
        """Remove a file that is no indexed note; return the keys that may be affected."""
        name = path.rpartition("/")[2]
        _discard(self._files, fold_name(without_extension(name)), path)
        return {fold_name(without_extension(name))}

    def _keys_of(self, path: str) -> set[str]:
        """Return every key under which a target could depend on the note at ``path``.

        A note with an equal stem has its id from here too, so its own names count as well; its
        folded stem among them, for two stems can normalize alike and fold apart.
        """
        names = self._of[path]
        keys = {names.fold, names.stem, *names.aliases}
        for sharer in self._by_stem.get(names.stem, ()):
            keys.add(self._of[sharer].fold)
            keys.update(self._of[sharer].aliases)
        return keys

    @staticmethod
    def keys_of_target(target: str) -> set[str]:
        """Return the keys under which ``target`` must be asked again."""
        bare = without_extension(target)
        last = bare.rpartition("/")[2]
        return {fold_name(last), normalize(last), normalize(bare)}

    def resolve(self, target: str) -> str | None:
        """Return the path of the file a canonical target leads to, as Obsidian finds it.

        The exact path first, then the file of that name, the shortest path where there are more;
        letter case and Unicode form do not matter, unless files differ in nothing else.
        """
        if not target:
            return None
        bare = without_extension(target).strip("/")
        folded = fold_name(bare)
        last = folded.rpartition("/")[2]
        found = self._by_fold.get(last, set()) | self._files.get(last, set())
        if not found:
            return None
        exact = [path for path in found if fold_name(without_extension(path)) == folded]
        if not exact and not target.startswith("/"):
            suffix = "/" + folded
            exact = [path for path in found if fold_name(without_extension(path)).endswith(suffix)]
        if not exact:
            return None
        wants_file = is_attachment(target)

        def rank(path: str) -> tuple[bool, int, str, bool, str]:
            name = without_extension(path)
            is_other_form = not ("/" + name).endswith("/" + bare)
            is_no_note = extension_of(path) not in NOTE_EXTENSIONS and not wants_file
            return is_no_note, len(name), fold_name(name), is_other_form, path

        return min(exact, key=rank)

    def note_id(self, path: str) -> str:
        """Return the concept that the note at ``path`` is, before merges."""
        stem = normalize(shown_name(_stem(path)))
        sharers = self._by_stem.get(stem, set())
        if stem and len(sharers - {path}) == 0:
            return stem
        return normalize(shown_name(without_extension(path)))

    def concept_of_note(self, path: str) -> str | None:
        """Return the concept that the note at ``path`` is, after merges; ``None`` if ignored."""
        return self.apply_rules(self.note_id(path))

    def concept_of_target(self, target: str) -> str | None:
        """Return the concept a canonical target names, or ``None`` when it names none."""
        if not target or is_attachment(target):
            return None
        if self._naming.titles and (path := self.resolve(target)):
            return self.apply_rules(self.note_id(path))
        name = normalize(without_extension(target))
        if self._naming.aliases and (path := self.note_of_alias(name)):
            return self.apply_rules(self.note_id(path))
        return self.apply_rules(name)

    def concept_of_text(self, text: str) -> str | None:
        """Return the concept ``text`` itself is, resolved to no note, after merges."""
        return self.apply_rules(normalize(text))

    def note_of_alias(self, alias: str) -> str | None:
        """Return the one note that claims ``alias``, if no other note has it as its stem."""
        claimers = self._by_alias.get(alias, set())
        if len(claimers) != 1:
            return None
        (claimer,) = claimers
        return claimer if not self._by_stem.get(alias, set()) - {claimer} else None

    def notes_called(self, words: str) -> set[str]:
        """Return the notes that people may mean by a ``spoken`` name, however they are linked."""
        exact = self._by_stem.get(words, set()) | self._by_alias.get(words, set())
        return exact or self._by_words.get(words, set())

    def apply_rules(self, concept: str) -> str | None:
        """Return what a name, normalized, is after merges; ``None`` if ignored."""
        concept = self.rules.merged.get(concept, concept)
        return concept if concept and concept not in self.rules.ignored else None

    def notes_sharing_stem(self, path: str) -> frozenset[str]:
        """Return the notes whose stem names the same concept as that of ``path``."""
        return frozenset(self._by_stem.get(normalize(shown_name(_stem(path))), ()))

    def contested_aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Return the aliases that merge nothing, each with the sorted paths of its claimers."""
        return {
            alias: tuple(sorted(claimers))
            for alias, claimers in sorted(self._by_alias.items())
            if len(claimers) > 1 or self._by_stem.get(alias, set()) - claimers
        }


def _said_of(names: NoteNames) -> set[str]:
    """Return the names of a note that are said otherwise than they are written."""
    written = {names.stem, *names.aliases}
    return {spoken(name) for name in written} - written - {""}


def _stem(path: str) -> str:
    return without_extension(path.rpartition("/")[2])


def _add(index: dict[str, set[str]], key: str, path: str) -> None:
    index.setdefault(key, set()).add(path)


def _discard(index: dict[str, set[str]], key: str, path: str) -> None:
    paths = index.get(key)
    if paths is not None:
        paths.discard(path)
        if not paths:
            del index[key]
