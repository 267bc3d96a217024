"""Known agents driven by their command line: one program per dispatch, whose output is read line
by line.
"""
