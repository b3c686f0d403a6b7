"""The pages under docs say what is so."""
