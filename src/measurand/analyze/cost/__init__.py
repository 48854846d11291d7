"""Agents on the cost axis."""
