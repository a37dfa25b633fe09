"""From TOML layers to an experiment: positions, layers, checking, building."""
