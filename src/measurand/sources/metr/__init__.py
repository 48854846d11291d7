"""Source ``metr``."""
