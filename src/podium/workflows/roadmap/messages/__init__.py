"""What agents' final messages state, and what is passed on of them."""
