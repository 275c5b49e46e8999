"""The steps of applying a batch to the indexes; `engine.apply` runs them in their order."""
