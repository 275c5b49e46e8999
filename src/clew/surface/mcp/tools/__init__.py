"""The tools of the bridge: their schemas, the requests they make, and the text they return."""
