"""Reading changed files of the vault, after their changes have settled."""
