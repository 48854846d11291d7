"""Quality against cost in words, figures and tables."""
