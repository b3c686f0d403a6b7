"""Measuring retrieval: data, measures, the projects that are asked, the protocol."""
