"""Commands for authors of Coach plugins: doctor, and plugin sync, new, validate, test."""
