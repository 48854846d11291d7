"""Sections of the report on a board."""
