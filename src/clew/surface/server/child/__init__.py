"""The indexer process as the server sees it: start, supervision, and the replica of its index."""
