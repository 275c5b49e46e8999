"""``clew map``: the concepts of the vault as a web page, in a file or live."""
