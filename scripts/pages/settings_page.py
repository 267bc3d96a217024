"""The reference of settings, and the tables of policies used there and in the pages of
workflows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from scripts.pages import NOTE
from scripts.pages.policy_texts import GOVERNED, POLICY
from scripts.pages.tables import code, field_texts, rows, shown

from podium.settings import policies, values
from podium.settings.schema import name_of
from podium.workflows.catalog import NAMES
from podium.workflows.governed.policy.keys import KEYS


def settings_page() -> str:
    parts = [
        NOTE,
        "# Settings\n",
        (
            "Settings are in `podium.toml` at the root of the project, or under "
            "`[tool.podium]` in `pyproject.toml`. "
            "Your own, for all projects, are in `podium/podium.toml` in your configuration "
            "folder (`~/.config`, or "
            "`$XDG_CONFIG_HOME`; on macOS `~/Library/Application Support`).\n"
        ),
        (
            "Precedence: command line, then environment, then project, then user, then built "
            "in. An unknown key is an "
            "error that names the nearest known one.\n"
        ),
        (
            "In the environment two underscores separate the names: `PODIUM_AGENT=claude`, "
            "`PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS=1`, `PODIUM_BUDGET__DISPATCHES=20`. "
            "One will do where the whole name is known beforehand: "
            "`PODIUM_BUDGET_DISPATCHES=20`.\n"
        ),
        "## Top level\n",
        rows(("Key", "Default", "Meaning"), [row("Settings", "agent")]),
    ]
    tables = (
        "AgentSettings RoleSettings Commands Proof View Budget Price Gateway Isolation Store "
        "Fleet Ui Notify Mcp Telemetry Issues"
    )
    for name in tables.split():
        kind = getattr(values, name)
        said = re.sub(r"(?<=\S)\n(?=\S)", " ", cleandoc(kind.__doc__ or ""))
        title, _, rest = said.partition(": ")
        body = [row(name, each) for each in kind.__dataclass_fields__]
        parts += [
            f"## {title}\n",
            f"{rest[:1].upper()}{rest[1:]}\n",
            rows(("Key", "Default", "Meaning"), body),
        ]
    parts += [
        "## `[policy.<workflow>]`\n",
        (
            "The numbers of a workflow. `--set KEY=VALUE` and `--policy FILE` win over these for "
            "one run.\n"
        ),
    ]
    more = {
        "harness": (
            "A stage of your own with `approval_before = true` has a key "
            "`require_approval_before_<stage>` too.\n"
        ),
        "governed": (
            "Over what `governance/runtime-policy.json` says. Dotted names, as in "
            "`retry_budgets.fixable_max = 2`.\n"
        ),
    }
    for name in NAMES:
        parts += [
            f"### `[policy.{name}]`\n",
            *([more[name]] if name in more else ()),
            policy_table(name),
        ]
    return "\n".join(parts)


def row(table_name: str, name: str) -> tuple[str, str, str]:
    field = getattr(values, table_name).__dataclass_fields__[name]
    text = field_texts("podium.settings.values", table_name)[name]
    return code(name_of(field)), code(shown(field.default)), text


def policy_table(name: str) -> str:
    known = policies.known(name)
    own = governed_rows() if name == "governed" else []
    return rows(
        ("Key", "Default", "Meaning"),
        [
            *own,
            *((code(name), code(shown(key.default)), POLICY[name]) for name, key in known.items()),
        ],
    )


def governed_rows() -> list[tuple[str, str, str]]:
    """One line per key; keys of every tier or profile are combined."""
    found: dict[str, dict[str, Any]] = {}
    for name, key in KEYS.items():
        parts = name.split(".")
        many = parts[0] in {
            "review_pipeline_by_tier",
            "max_iterations_by_tier",
            "resource_profiles",
        }
        joined = ".".join([parts[0], "*", *parts[2:]]) if many else name
        found.setdefault(joined, {})[parts[1] if many else ""] = key.default
    assert set(found) == set(GOVERNED), set(found) ^ set(GOVERNED)
    return [(code(name), _defaults(values), GOVERNED[name]) for name, values in found.items()]


def _defaults(values: Mapping[str, Any]) -> str:
    spelled = {
        name: ", ".join(value) if isinstance(value, list) else shown(value)
        for name, value in values.items()
    }
    if len(set(spelled.values())) == 1:
        return code(next(iter(spelled.values())))
    return ", ".join(f"{name} {code(value) or 'none'}" for name, value in spelled.items())
