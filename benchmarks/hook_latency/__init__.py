"""What one hook costs, as a ratio to an empty run of the same interpreter in the same run."""
