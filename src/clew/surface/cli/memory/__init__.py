"""Commands for the sessions of an agent."""
