"""Source ``osworld``."""
