"""Answers about the sessions of an agent."""
