"""The agents' contract as tests for anybody: what an agent must do, how it must fail, what it
must not reach.
"""
