"""Source ``tau_bench``."""
