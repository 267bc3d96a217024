"""A run's files on their way between machines."""
