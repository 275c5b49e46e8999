"""Look up other words for those words of a query that the vault does not have."""
