"""Parser processes: they read and parse the notes of a large round on other cores."""
