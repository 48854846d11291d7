"""Source ``tau2``."""
