"""The same runs on many machines: the journal in PostgreSQL, an engine that only carries who has work, code by git."""
