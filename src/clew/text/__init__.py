"""Pure functions over note text: links, tags, concepts, front matter, blocks; no files, no clock."""
