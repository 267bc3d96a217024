"""What the engine asks about a governed run besides its steps: documents, roles, how it
continues after a person's change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.workflow import About, Projection, Workflow
from podium.workflows.governed import moments, paths, proofs
from podium.workflows.governed.contracts import governed, plan_file
from podium.workflows.governed.exchange import files
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.roster import ROSTER
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.words import counted
from podium.workflows.protected import GUARDED


class Standing(Workflow):
    """The workflow without its steps."""

    run_type = GovernedRun
    policy: Policy

    def variants(self) -> Sequence[Run]:
        return [self.first(plan=good_plan())]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(governed(run), outcome, self.policy)

    def first(self, **members: Any) -> Run:
        at = "check_plan" if members.get("given") else self.start
        run: Run = self.run_type(step=at, visits={at: 1}, **members)
        return run

    def unblocked(self, run: Run) -> None:
        moments.sent_on(governed(run))

    def rewound(self, run: Run) -> None:
        moments.set_back(governed(run))

    def reconciled(self, run: Run, read: Callable[[str], str | None]) -> Sequence[str]:
        return moments.reconcile(governed(run), read)

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(governed(run).task, governed(run).trace_id, history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        at = governed(run)
        return {"plan": plan_file(at), "complete": paths.complete_path(at.task)}

    def about(self, run: Run, history: History, today: str) -> About:
        at = governed(run)
        return About(
            at.request,
            {"Task": at.task, "Title": at.request[:60], "Date": today},
            (at.note,) if at.note else (),
        )

    def roles(self) -> Mapping[str, str]:
        return {each.role: "" for each in ROSTER}

    def protected(self, run: Run) -> Sequence[str]:
        return GUARDED

    def closing(self, run: Run) -> str:
        at = governed(run)
        return (
            f"COMPLETE: {counted(len(at.complete))}, plan {plan_file(at)}"
            if at.status is Status.COMPLETE
            else ""
        )
