"""Opening a note in an editor, links on terminals, and completion of command lines."""
