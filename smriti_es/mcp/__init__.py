"""The MCP server: tools with which an agent remembers and recalls, and no verb of an owner."""
