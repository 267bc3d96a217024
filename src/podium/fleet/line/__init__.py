"""Who may take which run, and whose turn it is."""
