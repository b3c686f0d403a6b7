"""The loader of corpus directories: `python -m tests.corpus KIND DIR [--only CAT…] [--self-test]`."""
