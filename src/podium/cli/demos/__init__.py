"""What `podium demo` shows: one small real project and one story for each workflow."""
