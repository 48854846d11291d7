"""Reliability of agents over repeated trials."""
