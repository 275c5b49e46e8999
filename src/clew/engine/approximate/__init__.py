"""The approximate index of vectors: the job that builds it, and its file."""
