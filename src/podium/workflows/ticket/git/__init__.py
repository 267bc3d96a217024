"""What git reports, and what may be done with a person's repository."""
