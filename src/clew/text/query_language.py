"""Parse the query language of search: plain words, quoted phrases, exclusions and operators.

Operators have the names that Obsidian gives them. Whatever is not understood stays plain text, so
that any text is a query: an unknown operator, a URL, a time, a quote that is never closed.

In a question, quotes hold a name or a citation and ask for nothing: the answer to 'who wrote
"Moon tides"?' may well be in a note without these words. So phrases of a question are plain text.
People often leave out the question mark: a query is a question too if it begins with a question
word and goes on as a sentence does.

A command in back-ticks is plain text too: its options exclude nothing.
"""

import re
from bisect import bisect_right
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from clew.text.terms import query_words

SEARCHED_CHARACTERS_MAX = 8_192  # of a query; later text is ignored

# Straight, typographic and full-width; any of them closes what any other opened.
_QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u301d\u301e\u301f\uff02'
# A quote directly after a letter or digit opens nothing: 5" is a length.
_PLAIN = rf"(?:[^\s{_QUOTES}]|(?<=[A-Za-z0-9])[{_QUOTES}])"
_CLAUSE = re.compile(
    # A minus excludes, and an operator counts, only at the start of a word.
    r"(?:(?<!\S)(?P<minus>-)(?!-))?"
    r"(?:(?:(?<!\S)|(?<=\s-)|(?<=^-))(?P<operator>(?i:tag|path|file|type)):(?!:|//))?"
    rf"(?:(?<![A-Za-z0-9])[{_QUOTES}](?P<quoted>[^{_QUOTES}]*)[{_QUOTES}]|(?P<plain>{_PLAIN}+))"
)

_SIGNS = re.compile(f"[-:{_QUOTES}]")  # each clause has one
_QUOTED = re.compile(f"[{_QUOTES}][^{_QUOTES}]*[{_QUOTES}]")
_CODE = re.compile(r"`[^`\n]+`")  # a command in back-ticks excludes nothing
_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
_QUESTION_WORDS = frozenset(
    ("what", "which", "who", "whom", "whose", "when", "where", "why", "how")
)
_QUESTION_WORDS_MIN = 5  # outside of quotes, in a question without a mark


class ClauseKind(StrEnum):
    """What a clause looks for; all kinds but the first two are the names of operators."""

    WORD = "word"
    PHRASE = "phrase"
    TAG = "tag"
    PATH = "path"
    FILE = "file"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition on notes; a word is a clause only if it is excluded."""

    kind: ClauseKind
    text: str  # without the operator and the quotes, and without spaces around it
    is_excluded: bool  # the notes that fulfil it are left out


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query in its clauses, and in the plain text between them."""

    query: str
    plain_spans: tuple[tuple[int, int], ...]  # where ``query`` is plain text, in its order
    clauses: tuple[Clause, ...]

    @property
    def plain(self) -> str:
        """The plain text; the whole query if it has no clauses."""
        return " ".join(self.query[start:end] for start, end in self.plain_spans)

    def spans_within(self, most: int) -> list[tuple[int, int]]:
        """Return where the first ``most`` characters of ``plain`` are in the query."""
        spans = []
        for start, end in self.plain_spans:
            if most > 0:
                spans.append((start, min(end, start + most)))
            most -= end - start + 1  # with the space after it
        return spans

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases to look for."""
        return tuple(clause.text for clause in self.clauses if _is_quotation(clause))


def parse_query(query: str, options: AbstractSet[str] = frozenset()) -> ParsedQuery:
    """Return the clauses and the plain text of ``query``, in time linear in its length.

    ``options``: words that a minus does not exclude, as they are options of commands.
    """
    if not query or _SIGNS.search(query) is None:
        return ParsedQuery(query, ((0, len(query)),) if query else (), ())
    clauses: list[Clause] = []
    spans: list[tuple[int, int]] = []
    plain_start = 0
    is_question = _is_question(query)
    code = [edge for match in _CODE.finditer(query) for edge in match.span()]
    for match in _CLAUSE.finditer(query):
        clause = _clause(match)
        if clause is None or (is_question and _is_quotation(clause)):
            continue
        is_in_code = bisect_right(code, match.start()) % 2 == 1
        if _is_excluded_word(clause) and (is_in_code or clause.text in options):
            continue
        clauses.append(clause)
        spans.append((plain_start, match.start()))
        plain_start = match.end()
    spans.append((plain_start, len(query)))
    return ParsedQuery(query, tuple(span for span in spans if span[0] < span[1]), tuple(clauses))


def _is_question(query: str) -> bool:
    if query.rstrip().endswith(_QUESTION_MARKS):
        return True
    words = _QUOTED.sub(" ", query).lower().split()
    return len(words) >= _QUESTION_WORDS_MIN and words[0] in _QUESTION_WORDS


def _is_quotation(clause: Clause) -> bool:
    return clause.kind is ClauseKind.PHRASE and not clause.is_excluded


def _is_excluded_word(clause: Clause) -> bool:
    return clause.kind is ClauseKind.WORD and clause.is_excluded


def _clause(match: re.Match[str]) -> Clause | None:
    """Return the clause that was matched; ``None`` if it is plain text."""
    is_excluded = match["minus"] is not None
    text = (match["plain"] if match["quoted"] is None else match["quoted"]).strip()
    if match["operator"] is not None:
        return Clause(ClauseKind(match["operator"].lower()), text, is_excluded) if text else None
    if match["quoted"] is None and not is_excluded:
        return None
    if not query_words(text):
        return None
    kind = ClauseKind.WORD if match["quoted"] is None else ClauseKind.PHRASE
    return Clause(kind, text, is_excluded)
