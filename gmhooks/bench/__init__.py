"""Retrieval quality of the product as users have it: facts in, questions asked, answers compared with what was right."""
