"""Show a property of a note's front matter that has words of a query: ``property: value``."""

from collections.abc import Sequence
from itertools import chain

from clew.query.search.snippet import has_words, line_shown, snippet
from clew.text.dates.date_keys import key_form
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.property_lines import LABELS, named_properties
from clew.text.masking.secrets import masked


def property_snippet(
    text: str,
    forms_by_term: Sequence[Sequence[str]],
    *,
    with_tags: bool,
    has_all: bool = False,
) -> str | None:
    """Return the first property in the front matter of ``text`` with a word, cut as a snippet is.

    One with a word in its value comes before one whose name alone has a word; ``None`` if there is
    neither. The title is no property here, since a result shows it anyway, and neither are the tags
    unless ``with_tags`` is true. With ``has_all`` it has a word of each term.
    """
    left_out = ("title",) if with_tags else ("title", "tags", "tag")
    shown = [each for each in named_properties(text) if each[0].lower() not in left_out]
    by_value = (each for each in shown if has_words(each[1], forms_by_term))
    by_key = (
        each
        for each in shown
        if key_form(each[0]) not in LABELS and has_words(each[0], forms_by_term)
    )
    fitting = (
        each
        for each in chain(by_value, by_key)
        if not has_all or all(has_words(": ".join(each), [forms]) for forms in forms_by_term)
    )
    found = next(fitting, None)
    return found and snippet(masked(": ".join(found))[0], forms_by_term)


def property_line(text: str, shown: str, forms_by_term: Sequence[Sequence[str]]) -> int:
    """Return the line of ``text``, 1-based, with the first word that a property's snippet shows.

    ``shown``: the snippet, which begins with the name of the property.
    """
    matter = split(text).frontmatter or ""
    at = matter.find(f"\n{shown.partition(': ')[0]}:")  # after the line that opens front matter
    return 1 + matter.count("\n", 0, at + 1) + line_shown(matter[at + 1 :], forms_by_term)
