"""A feature through eight steps, with three clusters whose verdicts are computed, and bounded
loops.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.effects import Check, Cluster, Effect, Gate, Member, Stage
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import About, Projection, Workflow, step
from podium.workflows.feature import (
    contracts,
    files,
    judging,
    planning,
    proofs,
    remembering,
    verdicts,
)
from podium.workflows.feature.clusters.clusters import (
    CT_MEMBERS,
    R_MEMBERS,
    RESEARCH_MEMBERS,
    V_MEMBERS,
)
from podium.workflows.feature.contracts import feature
from podium.workflows.feature.findings.finding import cut
from podium.workflows.feature.run import FeatureRun
from podium.workflows.feature.tier import joined, review_tier, rules_of
from podium.workflows.protected import GUARDED

PARALLEL = V_MEMBERS[1:]
MAX_TOUCHED = 2000


def _begun(
    run: Run, _texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]
) -> Judgement:
    return Judgement("ok", feature(run).slug)


def _members(names: Sequence[str], contract: Any, _run: Run) -> list[Member]:
    return [
        Member(name, partial(contract, name), partial(judging.judge_member, name)) for name in names
    ]


def _researchers(_run: Run) -> list[Member]:
    return [
        Member(
            each,
            partial(contracts.research, each),
            partial(judging.judge_member, f"research/{each}"),
        )
        for each in RESEARCH_MEMBERS
    ]


def _tasks(names: Sequence[str]) -> list[Member]:
    return [Member(name, partial(contracts.task, name), judging.judge_task) for name in names]


def _wave_key(run: FeatureRun) -> str:
    """Waves of the first plan are `wave/2`, those of later plans `fix/1/wave/2`."""
    number = run.part()["wave"]
    return f"wave/{number}" if run.built <= 1 else f"fix/{run.built - 1}/wave/{number}"


def _documents(members: Sequence[str], *more: str) -> Any:
    def found(run: Run) -> Sequence[str]:
        at = feature(run)
        return [*verdicts.paths(at, members).values(), *(f"{at.folder}/{each}" for each in more)]

    return found


def _gate(name: str, first_plan_only: bool = False) -> Any:
    def required(run: Run) -> str:
        at = feature(run)
        return name if at.approval_mode and not (first_plan_only and at.planning > 1) else ""

    return required


def _alone(agent: str, step: str, shape: str) -> Any:
    return partial(judging.judge_alone, agent, step, shape)


class Feature(Workflow):
    name = "feature"
    run_type = FeatureRun
    start = "setup"
    rounds = frozenset({"ct_loops", "planning", "v_loops", "r_loops", "replanned"})

    def __init__(self, policy: Mapping[str, Any]) -> None:
        self.policy = policy
        self.invariants = proofs.invariants(policy)
        closed = self._closed()
        self.steps = {
            name: replace(
                each,
                effect=self._bound(name, each.effect),
                exits=tuple(to for to in each.exits if (name, to) not in closed),
            )
            for name, each in self.steps.items()
            if policy["max_r_loops"] or name not in {"r_fix", "r_check"}
        }

    def _closed(self) -> set[tuple[str, str]]:
        """Ways that a policy without loops never takes."""
        ways = {
            "max_ct_loops": ("ct_verdict", "design"),
            "max_v_loops": ("v_verdict", "plan"),
            "max_r_loops": ("r_verdict", "r_fix"),
        }
        return {way for name, way in ways.items() if not self.policy[name]}

    @property
    def limit(self) -> int:
        """Agents at once: never more than four, and at least one, or nothing would ever end."""
        return max(1, min(proofs.CALLS, int(self.policy["max_parallel"])))

    def _bound(self, name: str, effect: Effect) -> Effect:
        """The effect, bound to this project's policy if it needs it."""
        match effect:
            case Cluster():
                return replace(effect, limit=self.limit)
            case Check() if name == "ct_verdict":
                return replace(
                    effect, decide=partial(verdicts.judge_ct, self.policy["max_ct_loops"])
                )
            case Check() if name == "v_verdict":
                return replace(effect, decide=partial(verdicts.judge_v, self.policy["max_v_loops"]))
            case Check() if name == "schedule":
                return replace(effect, decide=partial(planning.judge_schedule, self.limit))
            case Stage() if name == "plan":
                return replace(effect, judge=partial(planning.judge_plan, self.limit))
            case _:
                return effect

    # -- 0 to 3: from the request to the design

    @step(Check("the request and an empty memory", kind="document", decide=_begun), phase="Setup")
    def setup(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["research"]:
        return "research"

    @step(Cluster(_researchers, judging.decide_sources), phase="Research")
    def research(self, run: FeatureRun, outcome: Literal["DONE"]) -> Literal["synthesis"]:
        return "synthesis"

    @step(
        Stage("researcher", contracts.synthesis, _alone("researcher", "1.2", "analysis")),
        phase="Research",
    )
    def synthesis(
        self, run: FeatureRun, outcome: Literal["ok"]
    ) -> Literal["approve_research", "spec"]:
        remembering.prune(run, "1")
        return "approve_research" if run.approval_mode else "spec"

    @step(
        Gate(
            "Go on with this analysis?",
            choices=("approved", "synthesis"),
            default_rejection="synthesis",
            subject=lambda run: [f"{feature(run).folder}/analysis.md"],
            required=lambda run: feature(run).approval_mode,
        ),
        phase="Research",
    )
    def approve_research(
        self, run: FeatureRun, outcome: Literal["approved", "synthesis"]
    ) -> Literal["spec", "synthesis"]:
        return "spec" if outcome == "approved" else "synthesis"

    @step(
        Stage(
            "spec",
            contracts.spec,
            _alone("spec", "2", "feature"),
            approved_by=_gate("approve_research"),
        ),
        phase="Specification",
    )
    def spec(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["design"]:
        remembering.prune(run, "2")
        return "design"

    @step(
        Stage("designer", contracts.design, _alone("designer", "3", "design")),
        phase="Design",
        loops=True,
    )
    def design(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["ct"]:
        return "ct"

    @step(
        Cluster(partial(_members, CT_MEMBERS, contracts.ct), partial(judging.gather_ct, "ct_seen")),
        phase="Design review",
        loops=True,
    )
    def ct(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["ct_verdict"]:
        run.warn(*judging.lacking(run.ct_seen))
        return "ct_verdict"

    @step(
        Check(
            "the design review, judged by its table", kind="document", reads=_documents(CT_MEMBERS)
        ),
        phase="Design review",
        base="ct-verdict",
        loops=True,
    )
    def ct_verdict(
        self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION"]
    ) -> Literal["design", "plan"]:
        if outcome == "NEEDS_REVISION" and run.ct_loops < self.policy["max_ct_loops"]:
            run.ct_loops += 1
            remembering.invalidate(run, "ct-*", "the design is revised")
            return "design"
        run.constrained = outcome == "NEEDS_REVISION"
        return self._plan(run)

    # -- 4 and 5: plan and waves

    def _plan(self, run: FeatureRun) -> Literal["plan"]:
        run.planning += 1
        run.queue, run.left = [], 0
        return "plan"

    @step(Stage("planner", planning.plan), phase="Planning", loops=True)
    def plan(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["approve_plan", "schedule"]:
        remembering.prune(run, "4")
        return "approve_plan" if run.approval_mode and run.planning <= 1 else "schedule"

    @step(
        Gate(
            "Build this plan?",
            choices=("approved", "plan"),
            default_rejection="plan",
            subject=planning.documents,
            required=lambda run: feature(run).approval_mode,
        ),
        phase="Planning",
    )
    def approve_plan(
        self, run: FeatureRun, outcome: Literal["approved", "plan"]
    ) -> Literal["schedule", "plan"]:
        return "schedule" if outcome == "approved" else "plan"

    @step(
        Check(
            "the waves of the plan as it stands",
            kind="document",
            reads=planning.documents,
            added=planning.task_documents,
        ),
        phase="Implementation",
        loops=True,
    )
    def schedule(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["wave"]:
        run.built += 1
        return "wave"

    @step(
        Cluster(
            lambda run: _tasks(feature(run).part()["tasks"]),
            judging.decide_wave,
            in_order=True,
            approved_by=_gate("approve_plan", first_plan_only=True),
        ),
        phase="Implementation",
        key=_wave_key,
    )
    def wave(
        self, run: FeatureRun, outcome: Literal["DONE", "ERROR"]
    ) -> Literal["wave", "v_build"]:
        self._count(run)
        run.left -= 1
        if outcome == "DONE" and run.left > 0:
            return "wave"
        run.left, run.build_seen = 0, {}
        return "v_build"

    def _count(self, run: FeatureRun) -> None:
        """Take over the results of the tasks of this part."""
        for name, each in run.results.items():
            changed = [str(path) for path in each["changed"]]
            run.finished = [
                *(one for one in run.finished if one != name),
                *([name] if each["status"] == "DONE" else []),
            ]
            run.touched = sorted({*run.touched, *changed})[:MAX_TOUCHED]
            if changed:
                # The list was cut: the paths left out could be anything.
                run.tier = joined(
                    run.tier,
                    "Full" if each.get("more") else review_tier(changed, rules_of(self.policy)),
                )
            if name in run.tasks:
                run.tasks[name]["changed"] = sorted(
                    {*run.tasks[name].get("changed", ()), *changed}
                )[:MAX_TOUCHED]
        remembering.lessons(run, run.results)
        run.results = {}

    # -- 6: verification

    @step(
        Stage("v-build", contracts.v_build, judging.judge_build),
        phase="Verification",
        base="v-build",
        loops=True,
    )
    def v_build(self, run: FeatureRun, outcome: Literal["ok", "fail"]) -> Literal["v", "v_verdict"]:
        run.v_seen = {}
        if not run.build_seen:
            run.build_seen = {
                "v-build": {"word": "ERROR", "reason": run.reason, "data": {}, "wrote": False}
            }
        return "v" if outcome == "ok" else "v_verdict"

    @step(
        Cluster(partial(_members, PARALLEL, contracts.v), partial(judging.gather, "v_seen")),
        phase="Verification",
        loops=True,
    )
    def v(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["v_verdict"]:
        run.warn(*judging.lacking({**run.build_seen, **run.v_seen}))
        return "v_verdict"

    @step(
        Check(
            "the verification, judged by its table",
            kind="document",
            commands=("build", "test"),
            reads=_documents(V_MEMBERS),
        ),
        phase="Verification",
        base="v-verdict",
        loops=True,
    )
    def v_verdict(
        self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION", "ERROR"]
    ) -> Literal["r", "plan"]:
        run.findings = outcome != "DONE"
        if outcome == "DONE" or run.replanned or run.v_loops >= self.policy["max_v_loops"]:
            return "r"
        run.v_loops += 1
        remembering.invalidate(run, "v-*", "the work is planned anew")
        return self._plan(run)

    # -- 7: review

    @step(
        Cluster(partial(_members, R_MEMBERS, contracts.r), partial(judging.gather, "r_seen")),
        phase="Review",
        loops=True,
    )
    def r(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["r_verdict"]:
        run.security_asked = False
        run.warn(*judging.lacking(run.r_seen))
        return "r_verdict"

    @step(
        Check(
            "the review, judged by its table",
            kind="document",
            reads=_documents(R_MEMBERS, "review/knowledge-suggestions.md"),
            decide=verdicts.judge_r,
        ),
        phase="Review",
        base="r-verdict",
        loops=True,
    )
    def r_verdict(
        self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION", "ERROR", "SECURITY"]
    ) -> Literal["done", "r_security", "r_fix", "plan"]:
        if outcome == "SECURITY":
            return "r_security"
        run.broken, run.security_asked = [], False
        if outcome == "DONE":
            return "done"
        remembering.invalidate(run, "r-*", "the work is fixed")
        mend = outcome == "NEEDS_REVISION" and bool(run.affected) and not run.replanned
        if mend and run.r_loops < self.policy["max_r_loops"]:
            return "r_fix"
        if run.replanned:
            raise Blocked(f"ERROR: {run.reason or 'the review does not pass'}", "review")
        run.replanned = True
        run.failed, run.affected = list(run.affected), []
        return self._plan(run)

    @step(
        Stage("r-security", partial(contracts.r, "r-security"), judging.judge_security),
        phase="Review",
        base="r-security",
        loops=True,
        rare=True,
    )
    def r_security(
        self, run: FeatureRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["r_verdict"]:
        return "r_verdict"

    @step(
        Cluster(lambda run: _tasks(feature(run).affected), judging.decide_wave, in_order=True),
        phase="Review",
        base="review-fix",
        loops=True,
        rare=True,
    )
    def r_fix(self, run: FeatureRun, outcome: Literal["DONE", "ERROR"]) -> Literal["r_check"]:
        self._count(run)
        run.affected = []
        run.r_loops += 1
        return "r_check"

    @step(
        Check(
            "what the fixes did to the project",
            kind="command",
            commands=("build", "test"),
            decide=verdicts.judge_fixes,
        ),
        phase="Review",
        base="review-check",
        loops=True,
    )
    def r_check(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["r"]:
        return "r"

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(approval_mode=flag) for flag in (False, True)]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(feature(run), outcome)

    def unblocked(self, run: Run) -> None:
        """A person sends the run on: a review that had used up its loops gets them back."""
        at = feature(run)
        if at.step == "r_verdict":
            at.replanned, at.r_loops = False, 0

    def rewound(self, run: Run) -> None:
        """Undo what happened after the step.

        Counters of the loop that the step belongs to keep their value: they say which round it is.
        """
        at, order = feature(run), list(self.steps)

        def before(step: str) -> bool:
            return order.index(at.step) < order.index(step)

        if before("design"):
            at.ct_loops = 0
        if before("plan"):
            at.constrained, at.planning, at.v_loops = False, 0, 0
        if before("plan") or (at.step == "plan" and at.planning <= 1):
            found = copy.deepcopy(at.found)
            at.tasks, at.finished = found.get("tasks", {}), found.get("finished", [])
            at.failed, at.replanned = [], False
        if not before("plan") and before("v_build"):
            again = set(at.planned())
            at.finished, at.failed = [each for each in at.finished if each not in again], []
        if before("schedule"):
            at.queue = []
        if before("v_build"):
            at.left, at.results, at.build_seen = len(at.queue), {}, {}
        if before("r"):
            at.r_loops, at.findings, at.broken = 0, False, []

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(feature(run), history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        return files.artifacts(feature(run))

    def about(self, run: Run, history: History, today: str) -> About:
        at = feature(run)
        return About(at.request, {"Feature": at.slug, "Date": today}, (at.note,) if at.note else ())

    def proven_by(self, run: Run) -> Sequence[str]:
        return ("build", "test")

    def declares_proof(self) -> str:
        return "feature: its verification"

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys(files.ROLES, "")

    def protected(self, run: Run) -> Sequence[str]:
        return GUARDED

    def closing(self, run: Run) -> str:
        at = feature(run)
        if at.status is Status.BLOCKED:
            return f"ERROR: {cut(at.reason.removeprefix('ERROR:')) or 'the run stopped'}"
        if at.status is not Status.COMPLETE:
            return ""
        warned = f" ({len(at.warnings)} warnings, see podium log)" if at.warnings else ""
        return (
            f"DONE: complete with findings, see verifier.md{warned}"
            if at.findings
            else f"DONE: complete{warned}"
        )
