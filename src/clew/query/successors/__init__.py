"""Superseded notes in replies: the live notes that replace them, labels, and the order of both."""
