"""What agents are handed, and what the run tells the world of it."""
