"""Servers for trying out a fleet."""
