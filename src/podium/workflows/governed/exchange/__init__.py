"""What agents are handed, and what the run reports about it."""
