"""Source ``inspect``."""
