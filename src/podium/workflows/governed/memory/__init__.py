"""What outlives a task: facts, notes, sessions, phases that look alike."""
