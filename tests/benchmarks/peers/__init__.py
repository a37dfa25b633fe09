"""What `versus_sb3.py` runs: the cases, both sides of each, and the floor below which no side can go."""
