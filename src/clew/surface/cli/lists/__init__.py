"""Lists for other programs: paths, names, CSV, and lines in the format of grep."""
