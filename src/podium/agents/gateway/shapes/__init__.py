"""Reads what passes through: which model is asked, what an answer cost, how a refusal looks.
Pure.
"""
