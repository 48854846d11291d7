"""Source ``swebench``."""
