"""Plans from a pilot."""
