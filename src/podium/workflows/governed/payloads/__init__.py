"""Objects that go to agents and come back, each with its schema."""
