"""The methods of the protocol: a module for each group, and the table of all."""
