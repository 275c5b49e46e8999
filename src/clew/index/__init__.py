"""Derived structures over notes: names, the concept graph and decay; none imports another."""
