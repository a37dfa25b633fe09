"""Filters for observations."""
