"""How the indexer learns of changes: hints of watchfiles, walks on request and on a timer."""
