"""What agents' final messages state, and what of them is handed on."""
