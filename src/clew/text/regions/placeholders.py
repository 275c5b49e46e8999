"""Placeholders of templates, which a plugin fills in when it makes a note."""

import re

# ``{{...}}`` is of Obsidian's core plugin and QuickAdd, ``<%...%>`` of Templater.
_PLACEHOLDER = re.compile(r"\{\{[^{}]{1,200}\}\}|<%[^%]{1,200}%>")
# Only names that plugins fill in: other braces, as in Ansible or a formula, are text.
_FILLED_IN = re.compile(
    r"(?<![`$])\{\{\s*(?:title|date|time|name|value|field|vdate|macro|linkcurrent)\b[^{}]{0,200}\}\}"
    r"|<%[-_*+]?\s*tp\b",
    re.IGNORECASE,
)


def has_placeholder(text: str) -> bool:
    """Return whether a value or target holds a placeholder: ``{{date}}``, ``<% tp.date.now() %>``.

    Prose may hold such text that is none: ``is_filled_in`` tells.
    """
    return ("{{" in text or "<%" in text) and _PLACEHOLDER.search(text) is not None


def is_filled_in(text: str) -> bool:
    """Return whether a text has a placeholder that a plugin certainly fills in."""
    return ("{{" in text or "<%" in text) and _FILLED_IN.search(text) is not None
