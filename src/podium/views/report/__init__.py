"""The run report."""
