"""Scorings side by side: which are available, where they bind, what was left out."""
