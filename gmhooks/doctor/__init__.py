"""Diagnostics: read-only observations, each with its evidence and its remedy."""
