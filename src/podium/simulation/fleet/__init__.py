"""A fleet in virtual time: a day of runs on many workers, and which part becomes too small
first.
"""
