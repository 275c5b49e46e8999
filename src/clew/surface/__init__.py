"""The processes and their interfaces: server, indexer, client, command line, configuration."""
