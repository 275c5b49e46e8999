"""The methods `assemble`, `validate` and `trace`: concurrent pipelines, each with a timeout."""
