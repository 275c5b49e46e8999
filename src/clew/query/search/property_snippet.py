"""Show a property of a note's front matter that has words of a query: ``property: value``."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from clew.query.search.snippet import has_words, snippet
from clew.text.dates.date_keys import key_form
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.property_lines import LABELS
from clew.text.markdown.rendered import render
from clew.text.masking.secrets import masked

_KEY = re.compile(r"([^\s:#'\"-][^:\n]{0,100}):(?:\s|$)")
_LIST_MARKS = "-[]{},'\"| \t"
PROPERTIES_MAX = 100  # of a note that are looked at


def property_snippet(
    text: str, forms_by_term: Sequence[Sequence[str]], *, with_tags: bool
) -> str | None:
    """Return the first property in the front matter of ``text`` with a word, cut as a snippet is.

    One with a word in its value comes before one whose name alone has a word; ``None`` if there is
    neither. The title is no property here, since a result shows it anyway, and neither are the tags
    unless ``with_tags`` is true.
    """
    left_out = ("title",) if with_tags else ("title", "tags", "tag")
    shown = [each for each in _properties(text) if each[0].lower() not in left_out]
    by_value = (each for each in shown if has_words(each[1], forms_by_term))
    by_key = (
        each
        for each in shown
        if key_form(each[0]) not in LABELS and has_words(each[0], forms_by_term)
    )
    found = next(chain(by_value, by_key), None)
    return found and snippet(masked(": ".join(found))[0], forms_by_term)


def _properties(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of properties; a list is shown with commas.

    This reads lines rather than YAML: it must show something where YAML has an error, too.
    """
    key, count = "", 0
    values: list[str] = []
    for line in (split(text).frontmatter or "").split("\n"):
        if match := _KEY.match(line):
            if key:
                yield key, _shown(values)
            key, values, count = match[1].strip(), [line[match.end() :]], count + 1
            if count > PROPERTIES_MAX:
                return
        else:
            values.append(line)
    if key:
        yield key, _shown(values)


def _shown(values: Sequence[str]) -> str:
    items = (render(value).strip(_LIST_MARKS) for line in values for value in line.split(", "))
    return ", ".join(filter(None, items))
