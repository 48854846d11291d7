"""Claims in words and tables."""
