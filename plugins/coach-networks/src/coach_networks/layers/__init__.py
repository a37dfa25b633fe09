"""Keras layers that Keras does not have; importing one imports Keras."""
