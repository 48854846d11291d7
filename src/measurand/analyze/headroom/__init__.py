"""Saturation by score and over time, and harder bars."""
