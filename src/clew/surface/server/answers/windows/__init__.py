"""Answers to `assemble` and what goes with it: pipelines side by side, each within its time."""
