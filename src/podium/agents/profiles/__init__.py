"""What is known about each agent program: how it is started, what it needs, and what it must not
do on its own.
"""
