"""Reliability in words, figures and tables."""
