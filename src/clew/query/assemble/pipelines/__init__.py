"""Pipelines: what a vault defines to fill sections with, and the built-in one."""
