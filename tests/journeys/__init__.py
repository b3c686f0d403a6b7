"""The user's stories, told with the real Claude Code client against a fake API."""
