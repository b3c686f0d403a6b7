"""One module per verb; see gmhooks.cli.table."""
