"""Hot: the only door to LMDB. Keeps facts, indexes, checkpoints and counters for any number of processes."""
