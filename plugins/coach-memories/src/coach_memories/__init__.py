"""Replay memories for Coach."""
