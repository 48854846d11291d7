"""Source ``gso``."""
