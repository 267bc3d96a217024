"""Groups of tasks on the board: their state, as words and as a table."""
