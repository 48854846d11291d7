"""Source ``gaia``."""
