"""The documents that agents write: their shapes, their checks, and the shortest good ones."""
