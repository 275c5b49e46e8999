"""The parts of a query as search understood them, for replies to requests with ``explain``."""

from clew.query.search.narrowing.kinds import NamedKinds
from clew.query.search.query_terms import QueryTerms
from clew.text.query_language import Clause, ClauseKind, ParsedQuery
from clew.values.search_replies import Understood


def understood(parsed: ParsedQuery, terms: QueryTerms, kinds: NamedKinds) -> Understood:
    """Return the parts of a query, each as it can be written in a query."""
    texts = (ClauseKind.WORD, ClauseKind.PHRASE)
    return Understood(
        words=terms.words,
        phrases=parsed.phrases,
        excluded=tuple(_written(c) for c in parsed.clauses if c.is_excluded and c.kind in texts),
        operators=tuple(_written(c) for c in parsed.clauses if c.kind not in texts),
        kinds=kinds.shown,
    )


def _written(clause: Clause) -> str:
    minus = "-" if clause.is_excluded else ""
    operator = "" if clause.kind in (ClauseKind.WORD, ClauseKind.PHRASE) else f"{clause.kind}:"
    needs_quotes = clause.kind is ClauseKind.PHRASE or " " in clause.text
    return minus + operator + (f'"{clause.text}"' if needs_quotes else clause.text)
