"""Citations: references in a text, and whether the text that they name is still the same."""
