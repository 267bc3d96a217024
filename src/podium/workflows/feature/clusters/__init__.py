"""What a cluster came to: the tables that say so, and the document that shows it."""
