"""The TensorFlow engine for Coach."""
