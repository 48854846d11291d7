"""Second verdicts in words, figures and tables."""
