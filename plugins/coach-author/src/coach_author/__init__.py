"""Commands for authors of Coach plugins: sync, new, validate, test."""
