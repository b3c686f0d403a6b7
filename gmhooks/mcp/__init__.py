"""The MCP server: seven tools for agents that write, correct and search on purpose."""
