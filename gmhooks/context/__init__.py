"""Managed blocks: facts and instructions inside the files that agents load."""
