"""Sessions of an agent that are kept in the state folder."""
