"""Commands for authors of Coach plugins: new, validate, test."""
