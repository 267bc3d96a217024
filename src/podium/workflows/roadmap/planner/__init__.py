"""A Planner that writes or extends the roadmap."""
