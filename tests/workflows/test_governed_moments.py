"""What a person is shown at the gates of a governed run."""

from __future__ import annotations

from typing import Any

from podium.workflows.governed.moments import result_shown, wave_shown
from podium.workflows.governed.run import GovernedRun


def record(title: str, changed: list[str], **review: Any) -> dict[str, Any]:
    return {"title": title, "changed": changed, "review": review}


def test_before_a_wave_a_person_reads_what_the_phases_before_it_did_and_what_review_said() -> None:
    many = [f"src/{number}.py" for number in range(8)]
    run = GovernedRun(
        step="approve_wave",
        records={
            "10": record("Names", many, status="APPROVED", issues=[{}, {}]),
            "2": record("Words", ["src/words.py"], status="APPROVED"),
            "3": record("Notes", []),
        },
        approvals=[{"prompt": "Wave 2: 1 phases. Approve all?", "details": ["Phase 11"]}],
    )
    assert wave_shown(run).splitlines() == [
        "Phase 2 — Words: review APPROVED; changed src/words.py",
        "Phase 3 — Notes: no code review; changed no file",
        (
            "Phase 10 — Names: review APPROVED with 2 remarks; changed src/0.py, src/1.py, "
            "src/2.py, src/3.py, src/4.py and 3 more"
        ),
        "Wave 2: 1 phases. Approve all?",
        "  Phase 11",
    ]


def test_the_result_is_shown_with_every_phase() -> None:
    records = {"1": record("Words", ["a.py"], status="APPROVED")}
    run = GovernedRun(step="approve_completion", task="t", records=records, complete=[1])
    first, *_ = result_shown(run).splitlines()
    assert first == "Phase 1 — Words: review APPROVED; changed a.py"
