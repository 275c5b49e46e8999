"""The English grammar of dates in queries, into which those of other languages are turned."""
