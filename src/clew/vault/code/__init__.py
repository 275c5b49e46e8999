"""Folders of code: which of their files are read, and reading one."""
