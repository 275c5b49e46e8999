"""Benchmarks of the daemon and the command line, on generated vaults."""
