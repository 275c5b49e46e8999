"""Route of a question by its intent: memory, code, or both.

A question is about code if it asks for a relation of code (calls, depends on, implements) and has a
word that is written like an identifier, or leads to the name of a known entity ("what calls
Supervisor"). Neither alone is enough: people call each other, and names of products are written
like identifiers. Words for use ("where is delay_for used") count beside a known entity alone. A
question is about memory if it asks why, or for a decision. Words of English, German and Spanish
are known.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from clew.text.languages.relation_words import relation_asked, use_asked, words_asked_for
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.values.search_replies import ContextRoute

_IDENTIFIER = re.compile(
    r"\b[a-z][a-z0-9]*[A-Z]\w*"  # validateToken
    r"|\b[A-Z][a-z0-9]+[A-Z]\w*"  # AuthService
    r"|\b\w*[A-Za-z0-9]_[A-Za-z0-9]\w*"  # validate_token
    r"|\b\w+\(\)"  # validate()
    r"|\b\w+\.(?:py|js|ts|tsx|go|rs|java|c|h|cpp|cs|rb|php|kt|swift)\b"
)
_MEMORY = re.compile(
    r"\b(?:why|decid(?:e|es|ed|ing)|decisions?|choose|chose|chosen|choices?|trade-?offs?"
    r"|rationales?|reasons?|lessons?|agreed|remember"
    r"|warum|wieso|weshalb|entschieden|entscheidung(?:en)?|gewählt|wählten|abwägung(?:en)?"
    r"|kompromisse?|gründe?|grund|begründung(?:en)?"
    r"|por qué|elegimos|elegid[ao]s?|elegir|decidimos|decidid[ao]s?|decisión|decisiones"
    r"|razón|razones|motivos?|compromisos?)\b",
    re.IGNORECASE,
)


class Routed(NamedTuple):
    """A route, and the reason for it in a few words."""

    route: ContextRoute
    reason: str


def route_of(query: str, *, has_code: bool, has_graph: bool, known: Collection[str] = ()) -> Routed:
    """Return the route of a query; always memory if neither code nor concepts are asked for.

    ``known`` are the words of the query that name entities of code.
    """
    if not (has_code or has_graph):
        return Routed("memory", "only memories are asked for")
    query = query[:SEARCHED_CHARACTERS_MAX]
    relation, memory = relation_asked(query), _MEMORY.search(query)
    if relation is None and any(match[0] in known for match in _IDENTIFIER.finditer(query)):
        relation = use_asked(query)
    written = _IDENTIFIER.search(query)
    identifier = written[0] if written else min(words_asked_for(query) & {*known}, default=None)
    if relation is None or identifier is None:
        reason = f"asks with {memory[0]!r}" if memory else "no relation of code is asked for"
        return Routed("memory", reason)
    reason = f"{relation!r} with {identifier!r}"
    if memory is None:
        return Routed("code", reason)
    return Routed("hybrid", f"{reason}, and {memory[0]!r}")
