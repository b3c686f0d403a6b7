"""Other ways to answer a prompt with three facts: whole programs, measured beside the hook."""
