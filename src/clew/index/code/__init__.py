"""The graph of code: entities, and which of them call, import or implement which."""
