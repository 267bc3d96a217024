"""Four wire formats, each in one module with the same four functions: read, whole, events,
refusal.
"""
