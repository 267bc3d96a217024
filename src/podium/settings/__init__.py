"""What a project, a user and the environment can set, and where each value came from.

Precedence: command line > environment `PODIUM_*` > project (`podium.toml`, else `[tool.podium]`
in pyproject.toml) > user (the same file in the platform's config folder) > built-in.
"""
