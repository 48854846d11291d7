"""Headline numbers as benchmarks define them, computed from trials: one file for each family of definitions."""
