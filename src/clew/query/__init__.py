"""Answers as pure functions of (state, request, now); no files, no clock, no wire."""
