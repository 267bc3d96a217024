"""Groups of tasks on the board: how they stand, as words and as a table."""
