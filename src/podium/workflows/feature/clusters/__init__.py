"""The result of a cluster: the tables that decide it, and the document that shows it."""
