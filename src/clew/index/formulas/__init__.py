"""Published formulas as pure functions."""
