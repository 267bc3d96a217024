"""What tells workers of work."""
