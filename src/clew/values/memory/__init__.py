"""Sessions of an agent: their values, requests and replies."""
