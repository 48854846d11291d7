"""Source ``ale_bench``."""
