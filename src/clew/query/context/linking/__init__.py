"""Passages of a pack that lead to others: by links, mentions and names in common."""
