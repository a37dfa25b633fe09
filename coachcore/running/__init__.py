"""The machine in motion: loop, evaluation, checkpoints, session."""
