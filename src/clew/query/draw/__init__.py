"""Subgraphs of the concept graph as diagrams and as a web page."""
