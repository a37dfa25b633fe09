"""From merged features to features."""
