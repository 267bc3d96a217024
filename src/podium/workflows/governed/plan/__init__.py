"""The plan: read, checked, written, and laid out in waves."""
