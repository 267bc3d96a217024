"""The store for files that git should not carry."""
