"""Source ``harbor``."""
