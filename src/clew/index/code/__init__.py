"""The graph of code: entities, and the calls, imports and implementations between them."""
