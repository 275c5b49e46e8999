"""The bridge: serves the Model Context Protocol over stdin and stdout for an agent."""
