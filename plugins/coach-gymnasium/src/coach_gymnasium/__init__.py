"""Gymnasium environments as parts of Coach."""
