"""Pure functions over note text: links, tags, concepts, front matter; no files, no clock."""
