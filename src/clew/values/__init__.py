"""Frozen values, errors and messages; imports no other package of clew."""
