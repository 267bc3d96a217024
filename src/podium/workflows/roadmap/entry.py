"""How a run over a roadmap begins, and how a Planner is asked to write one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Fault, InputError, UsageError
from podium.core.verdict import Dialect
from podium.core.workflow import Workflow
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.planner.plan import RoadmapPlan
from podium.workflows.roadmap.workflow import Roadmap

FILE = "roadmap.json"
PLAN = "plan"


def start(
    inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read
) -> Start:
    if inputs and inputs[0] == PLAN:
        return _plan(inputs[1:], read)
    if len(inputs) > 1:
        raise UsageError(
            "podium run roadmap takes one file at most: podium run roadmap [FILE], or: podium "
            "run roadmap plan GOAL [FILE]"
        )
    path = _place(inputs[0] if inputs else FILE)
    text = read(path)
    if text is None:
        mend = (
            "`podium init roadmap` writes a sample, `podium run roadmap plan GOAL` lets a Planner "
            "write one"
        )
        raise InputError(Fault(path, "there is no such roadmap", mend))
    items = reading(text, path).items
    return Start(
        workflow=Roadmap(policy, len(items)),
        members={"file": path, "left": sum(not each.passes for each in items)},
        definition={"kind": "loop", "items": len(items)},
        slug="roadmap",
        title=f"{path} — {len(items)} items",
        scope=path,
        call={name: policy[name] for name in ("max_items", "keep_going")},
    )


def _place(spoken: str) -> str:
    if spoken.startswith("/") or ".." in spoken.split("/"):
        raise InputError(
            Fault(spoken, "is outside the project", "the roadmap is a file of the project")
        )
    return spoken


def _plan(words: Sequence[str], read: Read) -> Start:
    if not words or len(words) > 2 or not words[0].strip():
        raise UsageError(
            'podium run roadmap plan takes a goal: podium run roadmap plan "what is wanted" [FILE]'
        )
    path = _place(words[1] if len(words) == 2 else FILE)
    text = read(path)
    if text is not None:
        reading(text, path)
    return Start(
        workflow=RoadmapPlan(),
        members={"file": path, "goal": words[0]},
        definition={"kind": "plan"},
        slug="roadmap-plan",
        title=f"{path} — plan",
        scope=path,
    )


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Roadmap:
    """The loop over the project's own roadmap if it has one, else over a single item."""
    text = read(FILE)
    if text is None:
        return Roadmap(policy)
    return Roadmap(policy, len(reading(text, FILE).items))


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Workflow:
    return RoadmapPlan() if definition["kind"] == "plan" else Roadmap(policy, definition["items"])


def _dialects() -> Mapping[str, Dialect]:
    # only where an agent is asked
    from podium.workflows.roadmap.dialects import DIALECTS  # noqa: PLC0415

    return DIALECTS


ENTRY = Entry(
    name="roadmap",
    summary="the items of roadmap.json one by one: build, test, review, commit",
    takes="[FILE]",
    start=start,
    sample=sample,
    remake=remake,
    also=lambda: (RoadmapPlan(),),
    imagine=lambda workflow, _: {"left": getattr(workflow, "items", 1)},
    dialects=_dialects,
    retries=lambda _: {"violation": 1},
    placed=lambda path: FILE if path == FILE else "",
    home=FILE,
    settings=(
        "# max_retries = 2        # fix attempts per item after the first",
        (
            '# evidence = "observe"   # run each item\'s verification commands; "trust" believes '
            "Testing and Review"
        ),
        '# minor_fixes = "fail"   # what `Minor fixes needed` in a review means',
        "# keep_going = false     # carry on past a blocked item",
    ),
)
