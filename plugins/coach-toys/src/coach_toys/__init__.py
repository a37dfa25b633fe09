"""Small environments, a linear agent and a NumPy engine: a whole run to read, without a neural network."""
