"""Networks for Coach: embedders, middlewares, heads and arithmetic in Keras, no backend named."""
