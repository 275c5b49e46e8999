"""Where the outside meets the inside: server, client, command line, configuration and clock."""
