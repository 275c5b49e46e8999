"""Show a property of a note's front matter that has words of a query: ``property: value``."""

import re
from collections.abc import Iterator, Sequence

from clew.query.search.snippet import has_words, snippet
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.rendered import render
from clew.text.masking.secrets import masked

_KEY = re.compile(r"([^\s:#'\"-][^:\n]{0,100}):(?:\s|$)")
_LIST_MARKS = "-[]{},'\"| \t"
PROPERTIES_MAX = 100  # of a note that are looked at


def property_snippet(
    text: str, forms_by_term: Sequence[Sequence[str]], *, with_tags: bool
) -> str | None:
    """Return the first property in the front matter of ``text`` with a word, cut as a snippet is.

    ``None`` if there is none. The title is no property here, since a result shows it anyway, and
    neither are the tags unless ``with_tags`` is true.
    """
    left_out = ("title",) if with_tags else ("title", "tags", "tag")
    for key, value in _properties(text):
        if key.lower() not in left_out and has_words(value, forms_by_term):
            return snippet(masked(f"{key}: {value}")[0], forms_by_term)
    return None


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
