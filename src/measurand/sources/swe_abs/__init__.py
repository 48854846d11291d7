"""Source ``swe_abs``."""
