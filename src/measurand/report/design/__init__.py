"""Plans in words, figures and tables."""
