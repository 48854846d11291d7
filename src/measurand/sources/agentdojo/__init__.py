"""Source ``agentdojo``."""
