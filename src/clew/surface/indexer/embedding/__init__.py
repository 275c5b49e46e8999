"""Processes that make the vectors of many notes on other cores."""
