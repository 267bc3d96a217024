"""How an agent reports: with a tool, in a file, through its vendor's schema output, or in a line
of its message.
"""
