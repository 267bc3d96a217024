"""Views of the code: private copy-on-write layers at the project's own path, or a copy of it."""
