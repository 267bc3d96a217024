"""The tasks of an iteration: their document, their groups, the next move."""
