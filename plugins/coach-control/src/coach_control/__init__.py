"""Off-policy actor-critic agents for Coach: a critic learns from memory, an actor climbs it."""
