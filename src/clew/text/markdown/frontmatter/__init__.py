"""Front matter: its YAML, read safely, and the typed fields of its keys."""
