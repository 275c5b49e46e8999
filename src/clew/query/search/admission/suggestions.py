"""Names and words of the vault that are near to a query that nothing answers.

The query's own words are near too, if notes have them: "docker compose" leads to notes on docker.
"""

from itertools import chain, islice

from clew.engine.snapshot import Snapshot
from clew.query.search.admission.admitted import Admission
from clew.query.search.fallbacks.vocabulary import corrections_of
from clew.query.search.query_terms import QueryTerms
from clew.query.slices import Slices
from clew.query.suggest import SUGGESTIONS_MAX, close_concepts_to, close_files_to, close_names
from clew.text.concept import normalize
from clew.text.filename import file_name, shown_name
from clew.text.languages.guess import function_words_of_query
from clew.text.terms import is_without_spaces, query_words

WORDS_MAX = 4  # words of the query for which near words are looked up
OWN_WORDS_MAX = 2  # words of the query itself


def near_names(
    snapshot: Snapshot, query: QueryTerms, admission: Admission
) -> Slices[tuple[str, ...]]:
    """Return names like the query, its rarest words that notes have, and words like its others.

    At most ``SUGGESTIONS_MAX``, in this order; none if the query is answered.
    """
    if admission.answered != "no" or not query.text.strip():
        return ()
    concepts = yield from close_concepts_to(snapshot, normalize(query.text) or query.text)
    files = yield from close_files_to(snapshot, query.text)
    names = (*map(snapshot.display, concepts), *map(shown_name, map(file_name, files)))
    names = yield from close_names(query.text, dict.fromkeys(names))
    # Nobody searches for function words, not even for those of a language that the vault lacks.
    stop_words = snapshot.languages.stop_words | function_words_of_query(query_words(query.text))
    unknown = [word for word in admission.unmatched if word not in stop_words][:WORDS_MAX]
    corrections = yield from corrections_of(snapshot.passages, unknown)
    asked = stop_words | {query.text.strip().casefold()}
    typed = query.text.casefold().split()  # an indexed word may be only a part of one

    def tells(word: str) -> bool:
        return word not in asked and (word in typed or not is_without_spaces(word))

    own = filter(tells, admission.words_of_notes())
    words = filter(tells, (each.corrected for each in corrections))
    found = chain(names, islice(own, OWN_WORDS_MAX), words)
    by_text = {suggestion.casefold(): suggestion for suggestion in reversed(list(found))}
    return tuple(reversed(by_text.values()))[:SUGGESTIONS_MAX]
