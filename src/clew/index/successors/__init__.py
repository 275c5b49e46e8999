"""Which notes replace which, by the keys ``superseded_by`` and ``supersedes`` in front matter."""
