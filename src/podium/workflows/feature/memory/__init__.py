"""What a feature's agents share and what it leaves behind."""
