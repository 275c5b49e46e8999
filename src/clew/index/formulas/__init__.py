"""Published formulas as pure functions, each with its source; tests hold golden numbers."""
