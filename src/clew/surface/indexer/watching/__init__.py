"""How the indexer learns of changes: hints from watchfiles, and walks on request and on a timer."""
