"""What no agent of any workflow may change: rules, and the documents in which a person's edit is
obeyed.

There is one list for all workflows. Otherwise an agent of one workflow could open the gates of
another: what it lands in the project would be read there as a person's edit.
"""

from __future__ import annotations

from podium.core.contract import OWN

GUARDED = (*OWN, ".git/**", ".github/agents/**", ".claude/agents/**", "governance/**")
"""Settings, roles and policies."""
HARNESS = (
    "harness/run-state.md",
    "harness/stages.toml",
    "harness/tasks/**",
    "harness/backlog/**",
    "harness/standards/**",
    "harness/roles/**",
    "harness/templates/**",
    "harness/runs/**",
)
ROADMAP = ("roadmap.json",)
TICKET = (
    "prompts/*/prompt.yaml",
    "prompts/*/progress.yaml",
    "prompts/*/log.jsonl",
    "prompts/*/iteration_*/**",
    "docs/docs_cache_state.yaml",
)
"""Not all of `prompts`: some projects keep texts for models there, which are code."""
FEATURE = ("docs/feature/*/memory.md",)
GOVERNED = ("memories/repo.jsonl",)
PROTECTED = (*GUARDED, *HARNESS, *ROADMAP, *TICKET, *FEATURE, *GOVERNED)
"""Only people and the program change these, except that an agent may write what its contract
names as an output.
"""
