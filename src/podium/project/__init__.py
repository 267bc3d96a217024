"""What a project is made of: its tests and what runs them, its commands, its dependencies."""
