"""Markdown: front matter, block structure, links and tags, and the note they make together."""
