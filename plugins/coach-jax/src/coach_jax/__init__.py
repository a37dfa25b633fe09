"""The JAX engine for Coach."""
