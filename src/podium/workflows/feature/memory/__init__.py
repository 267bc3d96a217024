"""What a feature's agents share, and the knowledge that a run leaves behind."""
