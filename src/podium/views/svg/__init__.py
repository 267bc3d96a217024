"""Workflows as pictures."""
