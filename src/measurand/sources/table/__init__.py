"""Source ``table``."""
