"""The indexer process: watch the vault, read notes, send revisions to the server, save them."""
