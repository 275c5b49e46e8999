"""The text of notes as a pack shows it: as data that is no structure of the pack."""
