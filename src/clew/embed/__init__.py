"""Text to vectors: model loading, wordpieces, the encoder, quantization."""
