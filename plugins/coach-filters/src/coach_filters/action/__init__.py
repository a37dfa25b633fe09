"""Filters for actions, from the agent towards the environment."""
