"""The indexer's process: watches, reads, publishes revisions to the server and saves them."""
