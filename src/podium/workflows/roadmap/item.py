"""One item: the pipeline for its complexity, and the bounded loop that fixes what Testing and
Review refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

from podium.core.effects import Check, Gate, Stage
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import About, Projection, Step, Workflow, step
from podium.proof.delivery import delivery_of
from podium.proof.evidence import broken
from podium.workflows.roadmap import contracts, item_proofs
from podium.workflows.roadmap.items import projection
from podium.workflows.roadmap.items.items import COMPLEXITIES
from podium.workflows.roadmap.reporting import harmless
from podium.workflows.roadmap.runs import ItemRun

First = Literal["research", "architect", "implement"]


def _command(line: str) -> str:
    """A verification entry as a command line, without the backquotes that people often put
    around it.
    """
    return line.strip().strip("`")


def _observed(
    run: Run, _texts: Mapping[str, str | None], found: Sequence[Mapping[str, Any]]
) -> Judgement:
    """Judge the engine's own exit codes against what Testing and Review claimed."""
    assert isinstance(run, ItemRun)
    failing = broken(found)
    proven = [text for text, _ in delivery_of({"evidence": list(found)}).proof]
    if not failing:
        sets = {"proven": proven}
        return Judgement("ok", _counted(found, run), classification="pass", sets=sets)
    detail = [_result(each) for each in failing]
    said = ", ".join(
        line.removeprefix("- ")
        for kept in (run.tested, run.reviewed)
        for line in kept.splitlines()[:1]
    )
    return Judgement(
        "fail",
        "contradicted",
        "; ".join(detail),
        classification="fail",
        sets={
            "proven": proven,
            "failure": [_told(*each) for each in zip(detail, failing, strict=True)],
        },
        contradictions=tuple(f"{said}, but {each}" for each in detail),
    )


def _counted(found: Sequence[Mapping[str, Any]], run: ItemRun) -> str:
    own = {_command(line) for line in run.verification}
    ran = sum(record["command"] in own for record in found)
    return f"{ran} of {len(run.verification)} run"


def _result(evidence: Mapping[str, Any]) -> str:
    command, code = evidence["command"], evidence["exit"]
    if evidence["state"] == "not_run":
        return f"`{command}` did not run: {evidence['why']}"
    return f"`{command}` exits {code}"


def _told(detail: str, evidence: Mapping[str, Any]) -> str:
    """The result and two lines: names of failing tests, else what was printed last."""
    names = [str(name) for name in evidence.get("failing") or ()]
    printed = [
        line.strip() for line in str(evidence.get("output", "")).splitlines() if line.strip()
    ]
    return "\n".join([detail, *(names[:2] or printed[-2:])])


def _evidence(tried: Sequence[Sequence[str]], first: int) -> list[str]:
    """What each attempt got wrong, one line per failure."""
    return [
        f"attempt {number}: " + " / ".join(map(harmless, failure.splitlines()))
        for number, failures in enumerate(tried, first)
        for failure in failures
    ]


def _edits(run: Run) -> str:
    assert isinstance(run, ItemRun)
    said = "; ".join(each.removeprefix(f"item {run.id}: ") for each in run.edits)
    return f"{run.id} was edited while it was being worked on: {said}."


class RoadmapItem(Workflow):
    name = "roadmap-item"
    run_type = ItemRun
    start = "research"

    def __init__(
        self, max_retries: int = 2, evidence: str = "observe", minor_fixes: str = "fail"
    ) -> None:
        self.max_retries, self.evidence, self.minor_fixes = max_retries, evidence, minor_fixes
        self.invariants = item_proofs.invariants(max_retries, evidence)
        self.steps = self._steps()

    def _steps(self) -> Mapping[str, Step]:
        """The steps under this policy: with its judge of reviews, and without exits that it
        rules out.
        """
        found = dict(self.steps)
        if not self.max_retries:
            for name in ("implement", "validate", "testing", "review", "verify"):
                found[name] = replace(
                    found[name],
                    exits=tuple(each for each in found[name].exits if each != "implement"),
                )
        review = found["review"]
        assert isinstance(review.effect, Stage)
        effect = replace(review.effect, judge=contracts.judge("review", self.minor_fixes))
        ruled_out = "done" if self.evidence == "observe" else "verify"
        exits = tuple(name for name in review.exits if name != ruled_out)
        return {**found, "review": replace(review, effect=effect, exits=exits)}

    @step(
        Stage("research", partial(contracts.contract, "research"), contracts.judge("research")),
        phase="Research",
    )
    def research(self, run: ItemRun, outcome: Literal["ok"]) -> Literal["architect"]:
        self._arrived(run)
        return "architect"

    @step(
        Stage("architect", partial(contracts.contract, "architect"), contracts.judge("architect")),
        phase="Design",
    )
    def architect(self, run: ItemRun, outcome: Literal["ok"]) -> Literal["implement"]:
        self._arrived(run)
        return "implement"

    @step(
        Stage("implement", partial(contracts.contract, "implement"), contracts.judge("implement")),
        phase="Implement",
        loops=True,
    )
    def implement(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["validate", "testing", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        self._arrived(run)
        return "validate" if run.complexity == "complex" else "testing"

    @step(
        Stage("architect", partial(contracts.contract, "validate"), contracts.judge("validate")),
        phase="Validate",
        loops=True,
    )
    def validate(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["testing", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "testing"

    @step(
        Stage("testing", partial(contracts.contract, "testing"), contracts.judge("testing")),
        phase="Testing",
        loops=True,
    )
    def testing(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["review", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        self._arrived(run)
        return "review"

    @step(
        Stage("review", partial(contracts.contract, "review"), contracts.judge("review")),
        phase="Review",
        loops=True,
    )
    def review(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["verify", "done", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "verify" if self.evidence == "observe" else "done"

    @step(
        Check(
            "the project's commands, and the item's own verification",
            kind="command",
            commands=("build", "test", "lint"),
            runs=lambda run: (
                [_command(each) for each in run.verification] if isinstance(run, ItemRun) else []
            ),
            words=True,
            decide=_observed,
        ),
        phase="Verify",
        loops=True,
    )
    def verify(
        self, run: ItemRun, outcome: Literal["pass", "fail"]
    ) -> Literal["done", "implement"]:
        return "done" if outcome == "pass" else self._again(run, "revise")

    @step(
        Gate(
            (
                "Go on with it as it is now? approved: from Implement; restart: from the start of "
                "its pipeline."
            ),
            kind="drift",
            detail=_edits,
            choices=("approved", "restart"),
            default_rejection="restart",
        ),
        phase="Edited",
        rare=True,
    )
    def edited(
        self, run: ItemRun, outcome: Literal["approved", "restart"]
    ) -> Literal["research", "architect", "implement"]:
        at, run.resumes_at, run.edits = run.resumes_at, "", []
        if outcome == "restart":
            run.retries, run.failures, run.failure = 0, [], []
            run.research_found = run.design = run.tested = run.reviewed = ""
            return self.entry(run.complexity, run.research)
        # Tests and review were about the item before the edit: only what precedes Implement stands.
        return "research" if at == "research" else "architect" if at == "architect" else "implement"

    # -- rules

    @staticmethod
    def entry(complexity: str, research: str) -> First:
        """The first step of the pipeline for a complexity."""
        if complexity == "simple":
            return "implement"
        return "architect" if complexity == "medium" and research == "skip" else "research"

    def _arrived(self, run: ItemRun) -> None:
        run.touched = sorted({*run.touched, *run.arrived})
        run.arrived = []

    def _again(self, run: ItemRun, outcome: str) -> Literal["implement"]:
        """A failed attempt: Implement runs again with everything that went wrong, or the item is
        blocked.
        """
        self._arrived(run)
        wrong = (
            list(run.failure)
            if outcome == "revise" and run.failure
            else [run.reason or f"{run.step} failed"]
        )
        tried = [*run.failures, wrong]
        if run.retries >= self.max_retries:
            # Of attempts in another run only the number is known.
            first = max(1, run.retries + 2 - len(tried))
            last = first + len(tried) - 1
            head = f"{run.id} is blocked after {last} attempt{'s' * (last > 1)}"
            raise Blocked("\n".join([head, *_evidence(tried, first)]), "retries")
        run.retries, run.max_retries = run.retries + 1, self.max_retries
        run.failures, run.failure = tried, []
        run.tested = run.reviewed = ""
        run.proven = []
        return "implement"

    def first(self, **members: Any) -> Run:
        at = self.entry(members.get("complexity", "simple"), members.get("research", "full"))
        run: Run = self.run_type(step=at, visits={at: 1}, **members)
        return run

    def unblocked(self, run: Run) -> None:
        assert isinstance(run, ItemRun)
        self._arrived(run)
        run.failures, run.failure = [*run.failures, *([run.failure] if run.failure else [])], []
        run.retries, run.max_retries = 0, self.max_retries

    def rewound(self, run: Run) -> None:
        assert isinstance(run, ItemRun)
        run.retries, run.failures, run.failure = 0, [], []

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        kinds: list[dict[str, Any]] = [
            {"complexity": complexity, "research": research}
            for complexity, research in product(COMPLEXITIES, ("skip", "full"))
            if complexity == "medium" or research == "full"
        ]
        # A person may edit an item at any time; where it continues depends on where it was.
        edited = [
            self.run_type(step="edited", resumes_at=at, visits={"edited": 1}, **kind)
            for kind, at in product(kinds, ("research", "architect", "implement"))
        ]
        # Under `trust` a run may still stand at verify: the policy was `observe` when it got there.
        looked = (
            [self.run_type(step="verify", visits={"verify": 1})] if self.evidence == "trust" else []
        )
        return [*(self.first(**kind) for kind in kinds), *edited, *looked]

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        assert isinstance(run, ItemRun)
        return (projection.of_item(run),)

    def about(self, run: Run, history: History, today: str) -> About:
        assert isinstance(run, ItemRun)
        return contracts.about(run)

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys(("research", "architect", "implement", "testing", "review"), "")

    def protected(self, run: Run) -> Sequence[str]:
        assert isinstance(run, ItemRun)
        return contracts.guarded(run.file)
