"""Source ``terminal_bench``."""
