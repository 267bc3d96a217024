"""Git's answers, and what may be done with a person's repository."""
