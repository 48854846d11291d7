"""Source ``openhands``."""
