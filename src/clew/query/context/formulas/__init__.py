"""Pure functions of a pack: route, shares, rerank, near-duplicates, cache key."""
