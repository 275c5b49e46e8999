"""The indexer process on the server's side: start, supervision, requests, replica of its index."""
