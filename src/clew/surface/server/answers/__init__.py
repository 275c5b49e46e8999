"""One module for each group of methods, and the table that dispatches to them."""
