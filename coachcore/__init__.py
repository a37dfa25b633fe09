"""Coach: reinforcement learning in which every part is a plugin."""

__version__ = "0.1.0"
