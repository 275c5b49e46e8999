"""The configuration file: TOML, every key optional, an unknown key is an error."""

import os
import re
import tomllib
from dataclasses import replace
from difflib import get_close_matches
from enum import EnumType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, field

from clew.engine.private.patterns import private_by_path
from clew.engine.settings import (
    DEFAULT_TIERS,
    CommunitySettings,
    ConceptSource,
    EngineSettings,
    IndexerSettings,
    SiblingConfig,
)
from clew.index.formulas.decay import DecayFunction
from clew.query.search.search_config import SearchConfig
from clew.surface.indexer.briefing import Briefing
from clew.text.dates.date_keys import date_keys
from clew.text.languages.languages import AUTO
from clew.text.terms import LANGUAGES
from clew.values.communities import MAX_CONCEPTS, EdgeWeights
from clew.values.errors import ConfigError
from clew.values.vault import MAX_NOTE_BYTES
from clew.vault.code.usable_roots import usable_roots

Days = Annotated[float, Meta(ge=0)]
Weight = Annotated[float, Meta(ge=0, le=100)]
_SIBLINGS = SiblingConfig()
_SEARCH = SearchConfig()
ENCODINGS = ("o200k_base",)  # the encodings of ``text.tokens``, which takes long to import
CACHE_ENTRIES = 256  # cached packs, which take 16 MiB at most
APPROXIMATE_FROM = 120_000  # vectors, for which exact search takes 2 ms: benchmarks/README.md


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all tables."""


class VaultTable(_Table, frozen=True, kw_only=True):
    """``[vault]``: the folder, the paths to ignore, and whether git is asked for dates."""

    path: str | None = None
    ignore: list[str] = field(default_factory=list)
    max_note_bytes: Annotated[int, Meta(ge=1024, le=256 * 1024 * 1024)] = MAX_NOTE_BYTES
    dates: Literal["auto", "files"] = "auto"


class DatesTable(_Table, frozen=True, kw_only=True):
    """``[dates]``: further front matter keys for the dates of a note."""

    created: list[Annotated[str, Meta(min_length=1)]] = field(default_factory=list)
    modified: list[Annotated[str, Meta(min_length=1)]] = field(default_factory=list)


class ConceptsTable(_Table, frozen=True, kw_only=True):
    """``[concepts]``: the sources of concepts, the breadth of notes, and bounds for siblings."""

    from_: list[ConceptSource] = field(name="from", default_factory=lambda: list(ConceptSource))
    broad_from: Annotated[int, Meta(ge=0, le=100_000)] = 32
    min_shared: Annotated[int, Meta(ge=1)] = _SIBLINGS.min_shared
    min_overlap: Annotated[float, Meta(ge=0, le=1)] = _SIBLINGS.min_overlap
    max_siblings: Annotated[int, Meta(ge=0, le=1000)] = _SIBLINGS.max_siblings


class CommunitiesTable(_Table, frozen=True, kw_only=True):
    """``[communities]``: the weight that a note adds to each pair of its concepts."""

    weights: EdgeWeights = EdgeWeights.SHARED
    max_concepts: Annotated[int, Meta(ge=2, le=2_000)] = MAX_CONCEPTS


class DecayTable(_Table, frozen=True, kw_only=True):
    """``[decay]``: how the weight of a note falls with its age."""

    function: DecayFunction = DecayFunction.POWER_LAW
    half_life_days: Annotated[float, Meta(gt=0)] = 30.0
    tiers: dict[str, Days] = field(default_factory=lambda: dict(DEFAULT_TIERS))


class SearchTable(_Table, frozen=True, kw_only=True):
    """``[search]``: the notes' language, weights, and when vector search is approximate."""

    language: str = AUTO
    weights: dict[str, Weight] = field(default_factory=lambda: dict(_SEARCH.weights))
    recency: Annotated[float, Meta(ge=0, le=1)] = _SEARCH.recency
    sources: dict[str, Annotated[float, Meta(ge=0, le=0.1)]] = field(default_factory=dict)
    approximate_from: Annotated[int, Meta(ge=1)] | Literal["never"] = APPROXIMATE_FROM

    def __post_init__(self) -> None:
        """Refuse a language without a stemmer, and a weight of a leg that does not exist."""
        if self.language not in (AUTO, *LANGUAGES):
            known = ", ".join((AUTO, *sorted(LANGUAGES)))
            raise ValueError(f"no stemmer for the language {self.language!r}; it may be {known}")
        for leg in self.weights.keys() - _SEARCH.weights.keys():
            legs = ", ".join(_SEARCH.weights)
            raise ValueError(f"search.weights has no leg {leg!r}; the legs are {legs}")


class EmbeddingTable(_Table, frozen=True, kw_only=True):
    """``[embedding]``: the model that makes vectors."""

    model: Annotated[str, Meta(min_length=1)] = "builtin"


class ContextTable(_Table, frozen=True, kw_only=True):
    """``[context]``: token counts, patterns of secrets, private notes, and the cache of packs."""

    encoding: str = ENCODINGS[0]
    mask_secrets: bool = True
    cache_entries: Annotated[int, Meta(ge=1, le=100_000)] = CACHE_ENTRIES
    private: list[str] = field(default_factory=list)
    allow_private: bool = False
    entity_types: dict[str, Annotated[str, Meta(min_length=1)]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an encoding that is not in the package, and malformed patterns.

        A malformed pattern would fail to mask its secrets.
        """
        private_by_path(self.private)
        if self.encoding not in ENCODINGS:
            known = ", ".join(ENCODINGS)
            raise ValueError(f"no ranks for the encoding {self.encoding!r}; it may be {known}")


class CodeTable(_Table, frozen=True, kw_only=True):
    """``[code]``: folders whose code is read, besides that in notes."""

    roots: list[Annotated[str, Meta(min_length=1)]] = field(default_factory=list)


class ServerTable(_Table, frozen=True, kw_only=True):
    """``[server]``: paths of the socket and the state, number of clients, start by commands."""

    socket: str | None = None
    state: str | None = None
    max_clients: Annotated[int, Meta(ge=1, le=1000)] = 64
    autostart: bool = False  # used only by commands


class WatchTable(_Table, frozen=True, kw_only=True):
    """``[watch]``: how long changes are debounced, and the time between walks."""

    debounce_ms: Annotated[int, Meta(ge=1, le=10_000)] = 50
    sweep_seconds: Annotated[float, Meta(ge=1)] | Literal["auto"] = "auto"


class Config(_Table, frozen=True, kw_only=True):
    """The whole configuration file."""

    vault: VaultTable = field(default_factory=VaultTable)
    dates: DatesTable = field(default_factory=DatesTable)
    concepts: ConceptsTable = field(default_factory=ConceptsTable)
    communities: CommunitiesTable = field(default_factory=CommunitiesTable)
    decay: DecayTable = field(default_factory=DecayTable)
    search: SearchTable = field(default_factory=SearchTable)
    embedding: EmbeddingTable = field(default_factory=EmbeddingTable)
    context: ContextTable = field(default_factory=ContextTable)
    code: CodeTable = field(default_factory=CodeTable)
    server: ServerTable = field(default_factory=ServerTable)
    watch: WatchTable = field(default_factory=WatchTable)

    def indexer_settings(self, root: str) -> IndexerSettings:
        """Return the settings of the indexer of the vault at ``root``."""
        return IndexerSettings(
            root=root,
            ignore=tuple(self.vault.ignore),
            max_note_bytes=self.vault.max_note_bytes,
            date_keys=date_keys(self.dates.created, self.dates.modified),
            uses_git=self.vault.dates == "auto",
            engine=EngineSettings(
                sources=frozenset(self.concepts.from_),
                decay=self.decay.function,
                half_life_days=self.decay.half_life_days,
                tiers=self.decay.tiers,
                broad_from=self.concepts.broad_from,
                language=self.search.language,
                private=tuple(self.context.private),
            ),
        )

    def _with_code(self, settings: IndexerSettings, state: str) -> IndexerSettings:
        """Return the settings with the roots of code.

        Raises:
            ConfigError: a root is refused.
        """
        roots = usable_roots(self.code.roots, settings.root, state)
        left_out = (os.path.realpath(state),) if roots else ()
        return replace(settings, code_roots=roots, code_left_out=left_out)

    def sibling_config(self) -> SiblingConfig:
        """Return the bounds for siblings."""
        concepts = self.concepts
        return SiblingConfig(concepts.min_shared, concepts.min_overlap, concepts.max_siblings)

    def search_config(self) -> SearchConfig:
        """Return the settings of search."""
        search = self.search
        weights = {**_SEARCH.weights, **search.weights}
        types = self.context.entity_types
        return SearchConfig(weights, search.recency, search.sources, types)

    def briefing(self, root: str, state: str, verbosity: int, server_pid: int) -> Briefing:
        """Return the settings and paths that the server sends to the indexer."""
        sweep, approximate_from = self.watch.sweep_seconds, self.search.approximate_from
        return Briefing(
            indexer=self._with_code(self.indexer_settings(root), state),
            communities=CommunitySettings(self.communities.weights, self.communities.max_concepts),
            model=self.embedding.model,
            state=state,
            debounce_ms=self.watch.debounce_ms,
            walk_seconds=None if sweep == "auto" else float(sweep),
            approximate_from=None if approximate_from == "never" else approximate_from,
            verbosity=verbosity,
            server_pid=server_pid,
        )


def load(path: str, *, must_exist: bool) -> Config:
    """Read the config at ``path``; a missing one gives the defaults unless it must exist.

    Raises:
        ConfigError: it cannot be read, is not TOML, or has an unknown key or a bad value.
    """
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError as error:
        if must_exist:
            raise ConfigError(f"no config file {path}") from error
        return Config()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {_user_message(str(error))}") from error


_UNKNOWN_KEY = re.compile(r"Object contains unknown field `([^`]*)`(?: - at `\$\.(\w+)`)?")

_WRONG_CHOICE = re.compile(
    r"Invalid enum value (.*) - at `\$\.(\w+)\.(\w+)(?:\[\d+\])?`", re.DOTALL
)

_WRONG_KIND = re.compile(r"Expected `([^`]*)`(?:, got `(\w+)`| (\D+) (\S+)) - at `\$\.([^`]*)`")
_KINDS = {
    "array": "a list in [brackets]",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "a table",
    "str": "text in quotes",
}
_BOUNDS = {">=": "of {} or more", "<=": "of {} or less", ">": "above {}", "<": "below {}"}


def _user_message(message: str) -> str:
    """Turn msgspec's message into one that names the wrong key and its valid values."""
    if match := _WRONG_CHOICE.fullmatch(message):
        value, table, key = match.groups()
        return f"`{table}.{key}` is {value}, and may be {_choices(table, key)}"
    if match := _WRONG_KIND.fullmatch(message):
        kinds, given, bound, number, key = match.groups()
        wanted = " or ".join(
            _KINDS.get(kind, kind) for kind in kinds.split(" | ") if kind != "null"
        )
        if given:
            return f"`{key}` must be {wanted}, and is {_KINDS.get(given, given)}"
        if bound in _BOUNDS:
            return f"`{key}` must be {wanted} {_BOUNDS[bound].format(number.removesuffix('.0'))}"
        if (bound, number) == ("of length >=", "1"):
            return f"`{key}` must not be empty"
    match = _UNKNOWN_KEY.fullmatch(message)
    if match is None:
        return message.replace("`$.", "`")
    key, table = match.groups()
    tables = _types(Config)
    keys = [*_types(tables[table])] if table else [*tables]
    close = get_close_matches(key, keys, 1)
    known = f"did you mean {close[0]}?" if close else f"there are {', '.join(keys)}"
    where = f"key {key!r} in [{table}]" if table else f"table or key {key!r}"
    return f"unknown {where}: {known}"


def _choices(table: str, key: str) -> str:
    """Return the valid values of a key of the config as text."""
    kind = _types(_types(Config)[table])[key]
    kinds = (kind, *get_args(kind))
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    for enum in (each for each in kinds if isinstance(each, EnumType)):
        words += map(str, enum.__members__.values())
    # A type with a bound is the first argument of its annotation.
    has_number = any(each in (int, float) for kind in kinds for each in (kind, *get_args(kind)))
    return " or ".join([*(f"'{word}'" for word in words), *(["a number"] if has_number else [])])


def _types(table: type[Struct]) -> dict[str, Any]:
    """Return the types of the keys of a table."""
    return {each.encode_name: each.type for each in msgspec.structs.fields(table)}
