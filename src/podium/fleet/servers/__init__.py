"""Servers of one's own, to try a fleet."""
