"""``clew mcp`` for people: its help, and setting it up in the config of an agent's client."""
