"""Claims about the agent on top, or of two that are named."""
