"""Context: a Markdown pack of passages and concepts that answer a query, within a token budget."""
