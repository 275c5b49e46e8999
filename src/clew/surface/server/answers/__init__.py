"""Answers to requests: a module for each group of methods, and the table of all methods."""
