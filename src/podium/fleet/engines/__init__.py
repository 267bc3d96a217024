"""What notifies workers of work."""
