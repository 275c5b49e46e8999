"""Names close to an unknown one: of concepts with a misspelt word, and of folders."""
