"""The fleet in figures, for people and for monitoring systems."""
