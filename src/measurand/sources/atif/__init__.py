"""Trajectories in the ATIF form, for the sources that hold them."""
