"""Show a property of a note's front matter that has words of a query: ``property: value``."""

from collections.abc import Sequence
from itertools import chain

from clew.query.search.snippet import has_words, snippet
from clew.text.dates.date_keys import key_form
from clew.text.markdown.property_lines import LABELS, named_properties
from clew.text.masking.secrets import masked


def property_snippet(
    text: str, forms_by_term: Sequence[Sequence[str]], *, with_tags: bool
) -> str | None:
    """Return the first property in the front matter of ``text`` with a word, cut as a snippet is.

    One with a word in its value comes before one whose name alone has a word; ``None`` if there is
    neither. The title is no property here, since a result shows it anyway, and neither are the tags
    unless ``with_tags`` is true.
    """
    left_out = ("title",) if with_tags else ("title", "tags", "tag")
    shown = [each for each in named_properties(text) if each[0].lower() not in left_out]
    by_value = (each for each in shown if has_words(each[1], forms_by_term))
    by_key = (
        each
        for each in shown
        if key_form(each[0]) not in LABELS and has_words(each[0], forms_by_term)
    )
    found = next(chain(by_value, by_key), None)
    return found and snippet(masked(": ".join(found))[0], forms_by_term)
