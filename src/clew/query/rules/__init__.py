"""Rules of the vault that say what belongs in a context window, and when."""
