"""Filters for Coach: observations, rewards and actions on their way."""
