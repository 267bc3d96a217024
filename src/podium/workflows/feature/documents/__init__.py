"""The documents that agents write: their shapes, their checks, the shortest good ones."""
