"""The runtime policy and its caps."""
