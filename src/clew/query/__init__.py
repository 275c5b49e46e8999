"""Replies to queries: pure functions of a snapshot, a request, ``now`` and settings."""
