"""Everything that is done with git, through one caller."""
