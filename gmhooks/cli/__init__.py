"""The graymatter command: one verb a file, loaded on demand."""
