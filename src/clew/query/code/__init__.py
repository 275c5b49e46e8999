"""The code of the vault: entities, what calls what, and the notes that speak of it."""
