"""Relations of code in a query, such as the "calls" of "what calls Supervisor".

Words of English, German and Spanish are known.
"""

import re
from collections.abc import Collection

from clew.text.query_language import SEARCHED_CHARACTERS_MAX

_RELATION = re.compile(
    r"\b(?:calls?|callers?|called by|call sites?|call graphs?|invokes?|invoked by"
    r"|depends? on|dependents?|dependency|dependencies|implements?|implemented by|implementations?"
    r"|imports?|imported by|inherits?|extends|subclass(?:es)?|overrides?|defined in"
    r"|ruft|rufen|aufgerufen|aufrufer|aufrufe|hängt|hängen|abhängig|abhängigkeit(?:en)?"
    r"|importiert|importieren|implementiert|implementieren|implementierung(?:en)?|erbt|erben"
    r"|llaman?|llamad[ao]s?|llamadas?|invocan?|dependen?|dependencias?|importan?|implementan?"
    r"|implementacion(?:es)?|implementación|heredan?)\b",
    re.IGNORECASE,
)
# Ordinary words, which ask for code only beside the name of a known entity.
_USE = re.compile(
    r"\b(?:uses?|used|usages?|references?|referenced|raises?|raised|throws?|thrown|touches?"
    r"|verwendet|verwenden|verwendung(?:en)?|benutzt|benutzen|genutzt|nutzt"
    r"|usan?|usad[ao]s?|usos?|utilizan?|utilizad[ao]s?)\b",
    re.IGNORECASE,
)
# A relation and the name after it, with words such as "of the class" between them.
_ASKED = re.compile(
    rf"(?P<relation>{_RELATION.pattern})"
    r"(?:\s+(?:of|by|on|in|to|from|an?|the|class|function|method|module|interface"
    r"|von|der|die|das|den|dem|klasse|funktion|methode|de|del|a|el|la|los|las|clase|función|método"
    r")\b){0,3}\s+[\"'`]?(?P<name>[^\W\d]\w*)",
    re.IGNORECASE,
)


def relation_asked(query: str) -> str | None:
    """Return the words with which a query asks for a relation of code; ``None`` if it does not."""
    match = _RELATION.search(query[:SEARCHED_CHARACTERS_MAX])
    return match[0] if match is not None else None


def use_asked(query: str) -> str | None:
    """Return the word with which a query may ask for the uses of code; ``None`` for none."""
    match = _USE.search(query[:SEARCHED_CHARACTERS_MAX])
    return match[0] if match is not None else None


def asks_for_code(query: str) -> bool:
    """Return whether a query asks for a relation of code, such as what calls something."""
    return relation_asked(query) is not None


def words_asked_for(query: str) -> frozenset[str]:
    """Return the words after relations of code: ``open`` of "what calls open"."""
    return frozenset(match["name"] for match in _ASKED.finditer(query[:SEARCHED_CHARACTERS_MAX]))


def without_relations(query: str, known: Collection[str]) -> str:
    """Return a query with spaces in place of relations of code to a name in ``known``."""
    for match in _ASKED.finditer(query[:SEARCHED_CHARACTERS_MAX]):
        if match["name"] in known:
            start, end = match.span("relation")
            query = query[:start] + " " * (end - start) + query[end:]
    return query
