"""Q-learning with a deviation beside each value."""
