"""Filters for rewards."""
