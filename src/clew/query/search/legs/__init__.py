"""The legs of search: each ranks notes by one kind of evidence. ``registry.LEGS`` lists them."""
