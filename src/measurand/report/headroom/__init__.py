"""Saturation and bars in words, figures and tables."""
