"""A prompt read back: the role, the key and the files are those of the brief it was made of."""

from __future__ import annotations

import base64
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.scenario_content import Contents
from podium.agents.scripted_model import prompts
from podium.core.contract import Brief
from podium.core.prompt import render

STRUCTURE = (
    "header lines: Task:, Date:",
    "sections, each as `## heading`: Goal, Validation Result",
)


def brief(**more: object) -> Brief:
    members = {
        "key": "qa/1",
        "role": "qa",
        "definition": "# Agent\n\n## How to report\n\n- Goal is one of: Wrong, Worse.\n",
        "definition_source": "",
        "task": "T",
        "inputs": (),
        "outputs": (("qa", "docs/qa.md", STRUCTURE), ("log", "log.md", ())),
        "code": "write",
        "scope": ("You may change the project's code and tests below src/**, lib/**.",),
        "vocabulary": ("Validation Result is one of: Pass, Blocked.",),
        "facts": {"Task": "T001", "Date": "2026-01-01"},
        **more,
    }
    return Brief(**members)  # type: ignore[arg-type]


def test_what_a_brief_says_is_read_from_its_prompt() -> None:
    asked = prompts.read(f"<reminder>be good</reminder>\n{render(brief())}")
    assert asked == prompts.Asked(
        role="qa",
        key="qa/1",
        outputs=(("qa", "docs/qa.md", STRUCTURE), ("log", "log.md", ())),
        facts={"Task": "T001", "Date": "2026-01-01"},
        words={"Validation Result": "Pass"},
        changes=True,
        writable=("src/**", "lib/**"),
    )


def test_the_files_are_composed_from_the_structure_that_was_told() -> None:
    asked = prompts.read(render(brief()))
    assert asked is not None
    files = {
        act["path"]: base64.b64decode(act["data"]).decode()
        for act in Contents(prompts.job_of(asked, "/w"), Path("/")).good()
    }
    assert files["log.md"] == "log\n"
    assert "Task: T001  \nDate: 2026-01-01" in files["docs/qa.md"]
    assert "## Goal\n\nNothing to report.\n\n## Validation Result\n\nPass\n" in files["docs/qa.md"]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200), st.text("abc:# \n`-()", max_size=80))
def test_no_text_is_taken_for_a_prompt_unless_it_has_the_head_and_the_scope_of_one(
    text: str, more: str
) -> None:
    for each in (text, more):
        assert prompts.read(each) is None
        found = prompts.read(f"# role: key\n{each}\n## Scope\n\n- x\n")
        assert found is not None
        assert (found.role, found.key) == ("role", "key") or each.count("# ") > 0
