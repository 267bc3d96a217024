"""What the program knows and decides about one phase of a plan."""
