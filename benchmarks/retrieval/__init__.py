"""Retrieval quality of the real engine over the real store."""
