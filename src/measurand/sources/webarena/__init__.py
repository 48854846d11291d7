"""Source ``webarena``."""
