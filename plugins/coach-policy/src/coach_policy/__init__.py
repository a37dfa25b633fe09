"""On-policy agents for Coach: they learn from what they have just done, once, and forget it."""
