"""Scorings in words, figures and tables."""
