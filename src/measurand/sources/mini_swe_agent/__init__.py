"""Source ``mini_swe_agent``."""
