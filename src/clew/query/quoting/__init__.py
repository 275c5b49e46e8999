"""Quoting text of notes in replies for agents: it can forge no structure and no label."""
