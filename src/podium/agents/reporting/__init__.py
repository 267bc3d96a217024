"""How an agent reports: by tool, by file, by its vendor's schema output, and last by a line of its message."""
