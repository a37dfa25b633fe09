"""Presets for Coach, each proven to learn."""
