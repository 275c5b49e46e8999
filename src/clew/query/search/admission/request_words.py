"""Find the words of a query that only ask for notes: "show me notes on slugs".

They say nothing of what is asked for, so no note needs to have them. Words count as such only in
the phrases below, which begin a query; a topic may be "notes" or "writing" itself.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.acts import own_acts
from clew.text.dates.grammar.words import word_set
from clew.text.dates.languages.english import (
    ACTS,
    ANYTHING,
    GOING_ON,
    HAPPENED,
    PLAIN_NOTE_WORDS,
    REQUEST_WORDS,
    SUBJECTS,
)
from clew.text.dates.languages.reading import read_words
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words

CHARACTERS_MAX = 500  # of a query; in a longer one all words count
_VERBS = word_set("show give list find tell search get")  # "show me", "search for"
_OBJECTS = word_set("me us")
_DETERMINERS = word_set("my our all any the some")
_ABOUT = word_set("about on regarding concerning")
_LINKING = _ABOUT | word_set("for with from of in to")
# After "what happened": to somebody, in a place, when something else did.
_OF_EVENTS = _LINKING | word_set("when while before after during at since once if")
_THINGS = PLAIN_NOTE_WORDS | ANYTHING | word_set("information info details facts")
_SAY = word_set("say says said mention mentions")
_KEEP = word_set("put keep kept save saved store stored record recorded jot jotted")
_QUESTIONS = word_set("what which who when where why how anything everything")
_BEFORE = STOP_WORDS | REQUEST_WORDS | SUBJECTS | _VERBS | _THINGS | word_set("can please")


def request_words(query: str) -> frozenset[str]:
    """Return the words of ``query`` that only ask, as ``query_words``; none if it has no others."""
    if len(query) > CHARACTERS_MAX:
        return frozenset()
    words = read_words(query)
    texts = [word.text for word in words]
    asking = [words[i] for i in _asking(texts)]
    if not asking:
        return frozenset()  # as for most queries
    found = {each for word in asking for each in query_words(query[word.start : word.end])}
    others = set(query_words(query)) - found
    return frozenset(found) if others - STOP_WORDS else frozenset()


def _asking(texts: Sequence[str]) -> AbstractSet[int]:
    """Return the indexes of the words that only ask."""
    found: set[int] = set()
    if not _QUESTIONS.isdisjoint(texts):
        found |= own_acts(texts, ACTS | _SAY | _KEEP)  # "what did I write about"
    for at, text in enumerate(texts):
        after = _text_at(texts, at + 1)
        if text in _VERBS and _asks_for_notes(texts, at):
            found.add(at)
        elif text in _THINGS and (after in _LINKING or after in _SAY):
            found |= {at, at + 1} if after in _SAY else {at}
        elif _asks_what_happened(texts, at):
            found.add(at)
        elif text not in _BEFORE:
            break
    if texts[:1] == ["what"] and texts[-1] in HAPPENED:  # "was ist mit dem Boot passiert"
        found.add(len(texts) - 1)
    # ``texts`` are in English, so "mir" of "zeig mir" is a stop word here, but not as written.
    return found and found.union(i for i, text in enumerate(texts) if text in STOP_WORDS)


def _asks_what_happened(texts: Sequence[str], at: int) -> bool:
    """Return whether a word is the verb of "what happened to/when" or "what is going on"."""
    if texts[0] != "what":
        return False
    if texts[at] in HAPPENED:
        return _text_at(texts, at + 1) in _OF_EVENTS
    return texts[at] in GOING_ON and _text_at(texts, at + 1) == "on"


def _asks_for_notes(texts: Sequence[str], at: int) -> bool:
    """Return whether a verb begins a request such as "show me" or "find all notes on"."""
    after = at + 1
    if _text_at(texts, after) in _OBJECTS or [*texts[at : at + 2]] == ["search", "for"]:
        return True
    while _text_at(texts, after) in _DETERMINERS:
        after += 1
    return _text_at(texts, after) in _THINGS and _text_at(texts, after + 1) in _LINKING


def _text_at(texts: Sequence[str], at: int) -> str:
    return texts[at] if at < len(texts) else ""
