"""The properties that Logseq keeps at the top of a page: ``alias:: one, [[two]]``.

Only lines at the very top are those of the page, as in Logseq; others are of a block. Obsidian
knows no such names, so only files in the folders that Logseq makes have them.
"""

import re
from collections.abc import Iterator

from clew.text.concept import normalize
from clew.text.filename import stem_of
from clew.text.markdown.frontmatter.safe_yaml import FRONTMATTER_CHARACTERS_MAX
from clew.text.regions.placeholders import has_placeholder
from clew.text.regions.wikilinks import wikilinks_in, without_wikilinks
from clew.values.note import Fields

FOLDERS = ("pages", "journals")  # where Logseq keeps its files
LINES_MAX = 100
_PROPERTY = re.compile(r"([A-Za-z][\w.-]{0,60})::[ \t]+([^\n]*)(?:\n|\Z)")


def page_fields(path: str, text: str) -> Fields:
    """Return the title and the aliases that the page's properties at the top of ``text`` say.

    ``path``: of the note; outside of ``FOLDERS`` it has none.
    A title that is not the file's name is one of the names by which links mean the page.
    """
    if not set(FOLDERS).intersection(path.split("/")[:-1]):
        return Fields()
    title: str | None = None
    names: list[str] = []
    for key, value in _properties(text):
        if key == "title":
            title = next(_names_in(value), None)
            if title is not None and normalize(title) != normalize(stem_of(path)):
                names.append(title)
        elif key in ("alias", "aliases"):
            names += _names_in(value)
    return Fields(title=title, aliases=tuple(dict.fromkeys(names)))


def _properties(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for _ in range(LINES_MAX):
        line = _PROPERTY.match(text, at)
        if line is None or line.end() > FRONTMATTER_CHARACTERS_MAX:
            return
        yield line[1].lower(), line[2]
        at = line.end()


def _names_in(value: str) -> Iterator[str]:
    """Yield the names in a value: the targets of its links, and the words between commas."""
    linked = (target for target, _, _ in wikilinks_in(value))
    plain = without_wikilinks(value, ",").split(",")
    for name in (*linked, *plain):
        if (shown := " ".join(name.split())) and not has_placeholder(shown):
            yield shown
