"""The journal in PostgreSQL, and its copies as files."""
