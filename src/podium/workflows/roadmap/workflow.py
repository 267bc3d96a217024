"""The loop over roadmap.json: one item, its pipeline, its commit, then the file is read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from podium.core.effects import Check, Child, Commit, FanOut
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Projection, Step, Workflow, step
from podium.workflows.roadmap import contracts, proofs, reporting
from podium.workflows.roadmap.choosing import choosing
from podium.workflows.roadmap.item import RoadmapItem
from podium.workflows.roadmap.items import projection
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import item_key
from podium.workflows.roadmap.items.research import CRITERIA, FORMER
from podium.workflows.roadmap.items.rewriting import loops_part
from podium.workflows.roadmap.items.selection import waiting_for
from podium.workflows.roadmap.runs import ItemRun, RoadmapRun

AGENTS = {
    "research": "Research",
    "architect": "Architect",
    "implement": "Implement",
    "validate": "Architect Validation",
    "testing": "Testing",
    "review": "Review",
}
"""The steps of an item in the order of its pipeline, and what the report calls their agents."""
HELD = frozenset({"budget", "drift", "documents", "contract", "not_dispatchable", "person"})
"""Stops that say nothing about the item: the run stops, and the item stays in progress."""


def _ended(children: Mapping[str, Run]) -> Judgement:
    """How the item ended; this goes into the file, the report and the commit."""
    (run,) = children.values()
    assert isinstance(run, ItemRun)
    if run.stop in HELD:
        return Judgement("fail", "held", run.reason, "held", stop=run.stop)
    passed = run.status is Status.COMPLETE
    # The first line says that the item is blocked, the others say why.
    head, *more = run.reason.splitlines() or [""]
    ended = {
        "title": run.title,
        "status": "done" if passed else "blocked",
        "passes": passed,
        "retryCount": run.retries,
        "reasons": [] if passed else more or [head],
        "reason": "" if passed else (more or [head])[-1],
        "dispatched": _dispatched(run),
        "complexity": run.complexity,
        "touched": run.touched,
        "tested": run.tested,
        "reviewed": run.reviewed,
        "proven": run.proven,
    }
    outcome = "done" if passed else "blocked"
    return Judgement(
        "ok" if passed else "fail",
        outcome,
        run.reason,
        classification=outcome,
        sets={"ended": ended},
    )


def _dispatched(run: ItemRun) -> list[str]:
    """The agents that were asked, each with its number of visits."""
    asked = [(name, run.visits.get(step, 0)) for step, name in AGENTS.items()]
    return [name if times == 1 else f"{name} ×{times}" for name, times in asked if times]


def _commit(run: Run) -> Commit:
    assert isinstance(run, RoadmapRun)
    title = " ".join(str(run.ended["title"]).split())
    paths = (*run.ended["touched"], run.file)
    shared = {run.file: partial(loops_part, run.file)}
    return Commit(f"{run.current}: {title}"[:72], paths, of=_child_key(run.current), shared=shared)


def _committed(
    run: Run, _texts: Mapping[str, str | None], found: Sequence[Mapping[str, Any]]
) -> Judgement:
    assert isinstance(run, RoadmapRun)
    made = next((str(each["commit"]) for each in found if each["name"] == "commit"), "")
    return Judgement(
        "ok",
        "committed" if made else "nothing to commit",
        sets={"ended": {**run.ended, "commit": made}},
    )


class Roadmap(Workflow):
    name = "roadmap"
    run_type = RoadmapRun
    start = "select"

    def __init__(self, policy: Mapping[str, Any], items: int = 1) -> None:
        self.policy, self.items = policy, items
        self.item_workflow = RoadmapItem(
            policy["max_retries"], policy["evidence"], policy["minor_fixes"]
        )
        self.invariants = proofs.invariants()
        # Bound per instance, not in the class: both need this project's policy.
        self.steps = {**self.steps, **self._own()}

    def _own(self) -> Mapping[str, Step]:
        calls = bool(self.policy["max_items"])
        return proofs.bound(self.steps, self._select, lambda: self.item_workflow, calls=calls)

    def _select(
        self, run: Run, texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]
    ) -> Judgement:
        assert isinstance(run, RoadmapRun)
        return choosing(run, texts, self.policy)

    @step(
        Check("the next item of the roadmap", reads=lambda run: (_file(run), CRITERIA, FORMER)),
        phase="Select",
        loops=True,
    )
    def select(
        self,
        run: RoadmapRun,
        outcome: Literal["picked", "complete", "blocked", "deadlock", "limit"],
    ) -> Literal["item", "select", "done"]:
        if outcome in {"blocked", "deadlock"}:
            raise Blocked(
                run.reason or f"nothing can be begun ({outcome})",
                f"item_{outcome}" if outcome == "blocked" else outcome,
            )
        if outcome == "limit":
            run.taken, run.bounded = 0, True
            return "select"
        return "item" if outcome == "picked" else "done"

    @step(
        FanOut(
            workflow=RoadmapItem,
            items=lambda run: (
                [Child(item_key(run.current), run.item, run.begins == "anew")]
                if isinstance(run, RoadmapRun)
                else []
            ),
            decide=_ended,
            limit=1,
        ),
        phase="Item",
        key=lambda _: "item",
    )
    def item(
        self, run: RoadmapRun, outcome: Literal["done", "blocked"]
    ) -> Literal["commit", "select"]:
        return "commit" if outcome == "done" else "select"

    @step(
        Check("one commit for the item", kind="git", commit=_commit, decide=_committed),
        phase="Commit",
        loops=True,
    )
    def commit(self, run: RoadmapRun, outcome: Literal["ok"]) -> Literal["select"]:
        return "select"

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        bound = self.policy["max_items"]
        # People may add items, so a call can reach its bound even if the file had fewer items at
        # first.
        full = [self.first(left=1, taken=bound)] if bound else []
        return [self.first(left=self.items), *full]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        assert isinstance(run, RoadmapRun)
        if run.step != "select":
            return ({},)
        bound = self.policy["max_items"]
        if outcome == "picked":
            more = run.left > 0 and (not bound or run.taken < bound)
            sets = {
                "current": f"ITEM-{run.left}",
                "left": run.left - 1,
                "taken": run.taken + 1 if bound else 0,
            }
            return (sets,) if more else ()
        if outcome == "complete":
            return ({},) if run.left == 0 else ()
        if outcome == "limit":
            return ({},) if bound and run.taken >= bound and run.left else ()
        return ({},)

    def unblocked(self, run: Run) -> None:
        """A person sends the loop on: blocked items continue where they stopped, unless the
        person edited the file instead.
        """
        assert isinstance(run, RoadmapRun)
        run.sent_on = "again" if run.step == "select" and run.sent_on != "edited" else ""

    def renewed(self, run: Run, policy: Mapping[str, Any]) -> Sequence[str]:
        assert isinstance(run, RoadmapRun)
        if "max_items" in policy:
            run.taken = int(run.step == "item")  # the item in progress is the first of this call
        return ()

    def rewound(self, run: Run) -> None:
        assert isinstance(run, RoadmapRun)
        run.begins = ""  # the item itself was rewound and continues from there

    def dependents(self, run: Run, child: str, read: Callable[[str], str | None]) -> Sequence[str]:
        """The items that wait for this one, according to the file as it is now."""
        items = projection.items_of(read(_file(run)) or "", _file(run))
        # The key of an item that was begun anew has a number appended.
        own = [
            each
            for each in items
            if child == (key := _child_key(each.id)) or child.startswith(f"{key}/")
        ]
        return [_child_key(each.id) for each in waiting_for(items, own)]

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        assert isinstance(run, RoadmapRun)
        return (projection.of_loop(run),)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        return {"roadmap": _file(run)}

    def roles(self) -> Mapping[str, str]:
        return self.item_workflow.roles()

    def protected(self, run: Run) -> Sequence[str]:
        return contracts.guarded(_file(run))

    def closing(self, run: Run) -> str:
        return reporting.PROMISE if run.status is Status.COMPLETE else ""

    def between_calls(self, run: Run) -> str:
        assert isinstance(run, RoadmapRun)
        return f"the last call ended with {run.current}, as it was told to" if run.bounded else ""

    def proven_by(self, run: Run) -> Sequence[str]:
        """Nothing where the policy believes Testing and Review: such a run ends as unproven."""
        return () if self.policy["evidence"] == "trust" else super().proven_by(run)

    def documents_missing(self, what: str) -> str:
        return f"the roadmap is gone ({what})"


def _child_key(id: Id) -> str:
    return f"item/{item_key(str(id))}"


def _file(run: Run) -> str:
    assert isinstance(run, RoadmapRun)
    return run.file
