"""The library: what a fact's life is."""
