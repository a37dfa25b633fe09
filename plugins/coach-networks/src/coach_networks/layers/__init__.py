"""The parts that schemes are spelled out with (`parts`), and Keras layers that Keras does not have.

Only `parts` can be imported without Keras.
"""
