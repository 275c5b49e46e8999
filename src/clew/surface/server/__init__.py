"""The daemon: one process that watches a vault and answers on a Unix socket."""
