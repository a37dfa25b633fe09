"""From one named input to features."""
