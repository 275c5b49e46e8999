"""Context windows: sections filled from the request, mentions, rules, notes and pipelines."""
