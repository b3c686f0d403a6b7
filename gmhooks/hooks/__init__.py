"""Hot: the four Claude Code hook runners and their entry."""
