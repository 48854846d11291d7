"""Source ``algotune``."""
