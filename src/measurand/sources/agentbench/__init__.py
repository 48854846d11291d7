"""Source ``agentbench``."""
