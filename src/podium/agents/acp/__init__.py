"""Agents that speak the Agent Client Protocol, version 1. Only `wire` knows the SDK."""
