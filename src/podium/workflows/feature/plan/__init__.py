"""The plan and its task files."""
