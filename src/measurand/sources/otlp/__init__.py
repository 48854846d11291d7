"""Source ``otlp``."""
