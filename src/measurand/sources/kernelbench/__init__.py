"""Source ``kernelbench``."""
