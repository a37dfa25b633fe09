"""Recorders: who writes down, draws and shows what happens in a run."""
