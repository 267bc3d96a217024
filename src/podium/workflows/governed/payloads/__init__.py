"""Objects that go to agents and come back, each under its schema."""
