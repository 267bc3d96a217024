"""The same runs on many machines: journal in PostgreSQL, code by git, and an engine that only
announces work.
"""
