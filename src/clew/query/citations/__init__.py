"""Citations: references in a text, and whether what they name still says the same."""
