"""One module for each client that can be wired: where its files are and what its entry looks like."""
