"""Environments of OpenAI's gym as parts of Coach."""
