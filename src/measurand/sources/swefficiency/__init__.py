"""Source ``swefficiency``."""
