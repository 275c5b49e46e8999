"""Pipelines, which fill sections of a window: those that a vault defines, and the built-in one."""
