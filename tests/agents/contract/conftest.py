"""Which of the contract's tries are made for whom.

Four agents go through the whole list by their command line. By ACP the list is about the transport, and two agents
show it all; the others show there what is theirs: that they work, stay in their room, and go on after their death;
three do so by their command line, too. PODIUM_TEST_AGENTS=all makes every try for everybody.
"""

from __future__ import annotations

import os

import pytest

BRIEF = (
    "gemini-acp", "opencode-acp", "copilot-acp", "qwen-acp", "kimi-acp", "copilot-headless", "qwen-headless", "kimi-headless",
)  # fmt: skip
ALWAYS = ("works_through", "in_a_room", "killed", "whole_run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("PODIUM_TEST_AGENTS") == "all":
        return
    left = [each for each in items if _is_brief(each.name) and not any(word in each.name for word in ALWAYS)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [each for each in items if each not in left]


def _is_brief(name: str) -> bool:
    return any(f"[{each}" in name for each in BRIEF)
