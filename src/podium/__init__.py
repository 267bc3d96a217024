"""Podium: an orchestrator for AI coding agents in which code holds the rules."""

__version__ = "0.1.0"
