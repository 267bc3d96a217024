"""What a project, a user and the environment may set, and where each value came from.

Precedence: command line > environment `PODIUM_*` > project (`podium.toml`, else `[tool.podium]`
in pyproject.toml) > user (the same file in the platform's config folder) > built-in.
"""

from podium.settings.overrides import parse_setting, policy_file
from podium.settings.policies import WORKFLOWS, defaults
from podium.settings.project import find_project, user_file
from podium.settings.sources import load
from podium.settings.values import (
    AgentSettings,
    Budget,
    Commands,
    Fleet,
    Gateway,
    Isolation,
    Issues,
    Mcp,
    Notify,
    Price,
    RoleSettings,
    Settings,
    Store,
    Telemetry,
    Ui,
)

__all__ = [
    "WORKFLOWS",
    "AgentSettings",
    "Budget",
    "Commands",
    "Fleet",
    "Gateway",
    "Isolation",
    "Issues",
    "Mcp",
    "Notify",
    "Price",
    "RoleSettings",
    "Settings",
    "Store",
    "Telemetry",
    "Ui",
    "defaults",
    "find_project",
    "load",
    "parse_setting",
    "policy_file",
    "user_file",
]
