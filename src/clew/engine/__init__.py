"""The only code that changes the indexes and publishes revisions; it uses no sockets."""
