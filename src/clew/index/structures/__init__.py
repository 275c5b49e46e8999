"""Data structures that several indexes share."""
