"""Expansion of a query that has nothing but names of code, by words of its doc comments."""

from collections.abc import Sequence
from datetime import UTC
from itertools import islice

from clew.engine.snapshot import Snapshot
from clew.query.code.explanations import QUOTED_MAX, about_users, quoted_names
from clew.query.code.related import CodeInsight
from clew.text.dates.intent import period_of
from clew.text.dates.seasons import seasons_in
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.text.similarity.folded_terms import folded_words
from clew.text.stopwords import STOP_WORDS

WORDS_ADDED_MAX = 20


def expanded_query(snapshot: Snapshot, query: str, insights: Sequence[CodeInsight]) -> str:
    """Return a query with words of doc comments added, if it has nothing but names of entities.

    "Why is there a ``Store``" asks for the purpose of a store, for which notes may have other
    words. Names that doc comments quote come first, then words of the doc comments of the entity,
    its users and its file. Only words that notes have are added, and none that mean a time.
    """
    names = {part.casefold() for each in insights for part in each.matched.split(".")}
    if set(folded_words(query[:SEARCHED_CHARACTERS_MAX])) - names - STOP_WORDS:
        return query
    texts = list(islice(quoted_names(insights), QUOTED_MAX))
    texts += [each.about or each.calls_about for each in insights]
    texts += [each.inside for each in insights]
    texts += about_users(insights)
    texts += [each.users_file_about for each in insights]
    texts += [each.file_about for each in insights]
    words = dict.fromkeys(word for text in texts for word in folded_words(text))
    word_id_of = snapshot.passages.keyword.id_of
    added_words = ""
    for word in words:
        longer = f"{added_words} {word}".lstrip()
        if word not in STOP_WORDS and word_id_of(word) is not None and not _is_time(longer):
            added_words = longer
            if added_words.count(" ") + 1 == WORDS_ADDED_MAX:
                break
    return f"{query} {added_words}"


def _is_time(text: str) -> bool:
    return bool(seasons_in(text)) or period_of(text, 0, UTC, may_be_unsure=True) is not None
