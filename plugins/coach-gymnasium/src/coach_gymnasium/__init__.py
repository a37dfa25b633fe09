"""Gymnasium environments for Coach."""
