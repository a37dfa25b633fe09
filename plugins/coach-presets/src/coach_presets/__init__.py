"""Presets for Coach, each proven to learn: one TOML file each in the folder ``presets``.

The folder is found through the manifest; reading it imports nothing.
A preset's ``[validation]`` table says what it is proven to reach, and the
learning tests read it from there.
"""
