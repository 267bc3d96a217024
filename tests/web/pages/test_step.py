"""The page of one step."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.views.conftest import Told
from tests.web.pages.conftest import NOW
from tests.web.pages.looking import harmless

from podium.views.show import Material
from podium.web.pages import step
from podium.web.pages.frame import Frame

PATCH = "diff --git a/app.py b/app.py\n@@ -1 +1 @@\n-old\n+new\n"


def material(**more: str) -> Material:
    return Material(
        {
            "brief.json": json.dumps(
                {
                    "definition": "# You build",
                    "inputs": [["plan", "plan.md", "sha256:12"]],
                    "writes": ["src/**"],
                }
            ),
            "prompt.md": "Do **this**.",
            "output.md": "It is *done*.",
            "verdict.json": '{"status": "done"}',
            "changes.patch": PATCH,
            "transcript.jsonl": '{"kind": "text", "text": "thinking aloud"}',
            "evidence/test.txt": "1 failed",
            **more,
        }
    )


def test_a_step_tells_what_it_was_given_and_what_it_left(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(
        step.page(
            frame,
            told(status="complete"),
            whole,
            "build/1",
            material(),
            NOW,
            ["steps/build/1/changes.patch"],
        )
    )
    for words in (
        "You build",
        "Do this .",
        "It is done .",
        "thinking aloud",
        "1 failed",
        "plan.md",
        '"writes"',
        "read held by confined",
        "pytest -q | tail",
    ):
        assert words in page.text
    assert {each["class"] for tag, each in page.tags if tag == "tr" and each.get("class")} == {
        "hunk",
        "cut",
        "add",
    }
    assert page.all("a", href="/runs/T001-k3f9/files/steps/build/1/changes.patch")
    assert [each["href"] for each in page.all("a", rel="prev") + page.all("a", rel="next")] == [
        "/runs/T001-k3f9/steps/implementation-planning",
        "/runs/T001-k3f9/steps/qa/1",
    ]


def test_every_try_is_told(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    text = harmless(step.page(frame, told(), whole, "build/1", Material(), NOW)).text
    assert "Tries 2" in text
    assert "try 1: crash" in text
    assert "exit code 137" in text
    assert "harness/run-state.md" in text


def test_artifacts_are_shown_as_they_were_verified(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    name = "artifact~harness~artifacts~specs~T001.md"
    page = harmless(
        step.page(
            frame,
            told(),
            whole,
            "specification",
            material(**{name: "# Spec\n\n<script>x</script>"}),
            NOW,
        )
    )
    assert "Spec" in page.text
    assert "<script>x</script>" in page.text
    assert "ab12ab12ab12" in page.text


def test_what_an_agent_did_not_say_is_unknown(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(step.page(frame, told(), whole, "build/2", Material(), NOW))
    assert page.text.count("unknown") >= 3
    assert "$0.00" not in page.text


def test_a_step_at_work_has_a_page_too(
    frame: Frame, told: Callable[..., Told], at_second_build: list[dict[str, Any]]
) -> None:
    page = harmless(
        step.page(
            frame,
            told(status="active", holder={"pid": 1}),
            at_second_build,
            "build/2",
            Material(),
            NOW,
        )
    )
    assert "at work" in page.text


def test_a_file_of_megabytes_does_not_make_a_page_of_megabytes(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    huge = "x <b> y\n" * 600_000
    names = ("prompt.md", "output.md", "verdict.json", "transcript.jsonl", "evidence/test.txt")
    found = material(
        **{**dict.fromkeys(names, huge), "changes.patch": PATCH + "+added\n" * 500_000}
    )
    assert len(step.page(frame, told(), whole, "build/1", found, NOW)) < 3_000_000


def test_hostile_files_stay_text(
    frame: Frame, told: Callable[..., Told], hostile: str, attack: list[dict[str, Any]]
) -> None:
    patch = (
        f"diff --git a/{hostile} b/{hostile}\n@@ -1 +1 @@\n+{hostile}\n"
        "</td><script>alert(1)</script>"
    )
    bad = Material(
        {
            "brief.json": json.dumps(
                {"definition": hostile, "inputs": [[hostile, hostile, hostile]], hostile: hostile}
            ),
            "prompt.md": hostile,
            "output.md": f"[x](javascript:alert(1)) {hostile}",
            "verdict.json": hostile,
            "changes.patch": patch,
            "quarantine.patch": patch,
            "transcript.jsonl": json.dumps({"kind": hostile, "text": hostile, "ts": hostile})
            + f"\n{hostile}",
            f"evidence/{hostile}": hostile,
            "artifact~" + hostile.replace("/", "~"): hostile,
        }
    )
    run = told(run=hostile, title=hostile, reason=hostile)
    for key in ("build/1", f"build/1/{hostile}"):
        assert step.home(attack, key) == "T001-k3f9"
        harmless(step.page(frame, run, attack, key, bad, NOW, [hostile]))


def test_a_step_belongs_to_the_run_that_began_it(wave: list[dict[str, Any]]) -> None:
    assert step.home(wave, "item/US-7/testing/2") == "T001-k3f9/item/US-7"
    assert step.home(wave, "nothing") is None
