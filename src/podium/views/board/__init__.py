"""The board: what a person wants to know about a run, folded from its events."""
