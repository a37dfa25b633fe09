"""The way over from RL Coach 1.0: the command `coach convert` reads old presets and writes new ones."""
