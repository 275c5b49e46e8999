"""Notes that replace others, by ``superseded_by`` and ``supersedes`` in front matter."""
