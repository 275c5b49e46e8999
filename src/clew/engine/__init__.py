"""The one writer: applies changes to the indexes and publishes revisions; knows no sockets."""
