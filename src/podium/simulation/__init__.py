"""Runs in virtual time: the routes of a workflow, walked with a model of its agents."""
