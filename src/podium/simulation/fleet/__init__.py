"""A fleet in virtual time: a day of runs on many workers, and which part of it is the first to be too small."""
