"""Lists for other programs: paths, names, CSV, and lines as grep prints them."""
