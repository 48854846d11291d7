"""Source ``hal``."""
