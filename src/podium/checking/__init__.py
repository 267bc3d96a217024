"""Questions about any workflow, including a user's own: does it end, who approves, who writes
what is read.
"""
