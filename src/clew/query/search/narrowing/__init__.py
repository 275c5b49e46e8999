"""Which notes a search may show: filters of the request, and the clauses of its query."""
