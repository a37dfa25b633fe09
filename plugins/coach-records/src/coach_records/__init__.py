"""Recorders for Coach: JSON lines, CSV, TensorBoard, terminal."""
