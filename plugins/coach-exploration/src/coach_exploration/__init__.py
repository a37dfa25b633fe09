"""Exploration policies for Coach."""
