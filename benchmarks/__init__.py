"""Measurements behind the figures the project publishes."""
