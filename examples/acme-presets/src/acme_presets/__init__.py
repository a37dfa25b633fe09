"""Presets of Acme, in the folder ``presets``; reading them imports nothing."""
