"""A feature through eight steps, with three clusters whose verdicts are computed, and loops that end."""

from __future__ import annotations

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
from podium.workflows.feature import contracts, files, judging, proofs, remembering, verdicts
from podium.workflows.feature.clusters import CT_MEMBERS, R_MEMBERS, RESEARCH_MEMBERS, V_MEMBERS
from podium.workflows.feature.contracts import feature
from podium.workflows.feature.run import FeatureRun
from podium.workflows.feature.tier import DEFAULT_RULES, review_tier

PARALLEL = V_MEMBERS[1:]


def _begun(run: Run, _texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]) -> Judgement:
    return Judgement("ok", feature(run).slug)


def _members(names: Sequence[str], contract: Any, _run: Run) -> list[Member]:
    return [Member(name, partial(contract, name), judging.judge_member) for name in names]


def _part(run: Run) -> list[Member]:
    """The tasks of the part of a wave that is next; of a review's fix pass, those it sends back."""
    at = feature(run)
    names = at.affected if at.step == "r_fix" else at.queue[at.at]["tasks"] if at.at < len(at.queue) else []
    return [Member(name, partial(contracts.task, name), judging.judge_task) for name in names]


def _wave_key(run: FeatureRun) -> str:
    """The first plan's waves are `wave/2`, those of the plans after it `fix/1/wave/2`."""
    number = run.queue[run.at]["wave"] if run.at < len(run.queue) else 0
    return f"wave/{number}" if run.planning <= 1 else f"fix/{run.planning - 1}/wave/{number}"


def _documents(members: Sequence[str], *more: str) -> Any:
    def found(run: Run) -> Sequence[str]:
        at = feature(run)
        return [*verdicts.paths(at, members).values(), *(f"{at.folder}/{each}" for each in more)]

    return found


def _subject(*names: str) -> Any:
    def found(run: Run) -> Sequence[str]:
        at = feature(run)
        tasks = [str(task["path"]) for task in at.tasks.values()] if "plan" in names else []
        return [*(f"{at.folder}/{name}.md" for name in names), *tasks]

    return found


def _gate(name: str, first_plan_only: bool = False) -> Any:
    def required(run: Run) -> str:
        at = feature(run)
        return name if at.approval_mode and not (first_plan_only and at.planning > 1) else ""

    return required


class Feature(Workflow):
    name = "feature"
    run_type = FeatureRun
    start = "setup"

    def __init__(self, policy: Mapping[str, Any]) -> None:
        self.policy = policy
        self.invariants = proofs.invariants(policy)
        self.steps = {name: replace(each, effect=self._bound(name, each.effect)) for name, each in self.steps.items()}

    def _bound(self, name: str, effect: Effect) -> Effect:
        """Effects that need this project's policy."""
        match effect:
            case Cluster():
                return replace(effect, limit=min(4, self.policy["max_parallel"]))
            case Check() if name == "ct_verdict":
                return replace(effect, decide=partial(verdicts.judge_ct, self.policy["max_ct_loops"]))
            case Stage() if name == "plan":
                return replace(effect, judge=partial(judging.judge_plan, min(4, self.policy["max_parallel"])))
            case _:
                return effect

    # -- 0 to 3: from the request to the design

    @step(Check("the request and an empty memory", kind="document", decide=_begun), phase="Setup")
    def setup(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["research"]:
        return "research"

    @step(
        Cluster(
            lambda _: [Member(each, partial(contracts.research, each), judging.judge_member) for each in RESEARCH_MEMBERS],
            judging.decide_sources,
        ),
        phase="Research",
    )
    def research(self, run: FeatureRun, outcome: Literal["DONE"]) -> Literal["synthesis"]:
        return "synthesis"

    @step(Stage("researcher", contracts.synthesis, judging.judge_sequential), phase="Research")
    def synthesis(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["approve_research", "spec"]:
        remembering.sequential(run, "researcher", "1.2", f"{run.folder}/analysis.md")
        remembering.prune(run, "1")
        return "approve_research" if run.approval_mode else "spec"

    @step(
        Gate(
            "Go on with this analysis?", choices=("approved", "synthesis"), default_rejection="synthesis",
            subject=_subject("analysis"), required=lambda run: feature(run).approval_mode,
        ),
        phase="Research",
    )  # fmt: skip
    def approve_research(
        self, run: FeatureRun, outcome: Literal["approved", "synthesis"]
    ) -> Literal["spec", "synthesis"]:
        return "spec" if outcome == "approved" else "synthesis"

    @step(
        Stage("spec", contracts.spec, judging.judge_sequential, approved_by=_gate("approve_research")), phase="Specification"
    )
    def spec(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["design"]:
        remembering.sequential(run, "spec", "2", f"{run.folder}/feature.md")
        remembering.prune(run, "2")
        return "design"

    @step(Stage("designer", contracts.design, judging.judge_sequential), phase="Design", loops=True)
    def design(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["ct"]:
        remembering.sequential(run, "designer", "3", f"{run.folder}/design.md")
        return "ct"

    @step(Cluster(partial(_members, CT_MEMBERS, contracts.ct), judging.gather), phase="Design review", loops=True)
    def ct(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["ct_verdict"]:
        return "ct_verdict"

    @step(
        Check("the design review, judged by its table", kind="document", reads=_documents(CT_MEMBERS)),
        phase="Design review", base="ct-verdict", loops=True,
    )  # fmt: skip
    def ct_verdict(self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION"]) -> Literal["design", "plan"]:
        remembering.cluster(run, "ct-aggregator", "3b", f"{run.folder}/design_critical_review.md", outcome)
        if outcome == "NEEDS_REVISION" and run.ct_loops < self.policy["max_ct_loops"]:
            run.ct_loops += 1
            remembering.invalidate(run, "ct-*", "the design is revised")
            return "design"
        if outcome == "NEEDS_REVISION":
            run.constrained = True
            run.warn("the design review still asks for a revision; its open tensions bind the plan")
        return self._plan(run)

    # -- 4 and 5: plan and waves

    def _plan(self, run: FeatureRun) -> Literal["plan"]:
        run.planning += 1
        run.queue, run.at = [], 0
        return "plan"

    @step(Stage("planner", contracts.plan), phase="Planning", loops=True)
    def plan(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["approve_plan", "wave", "v_build"]:
        remembering.sequential(run, "planner", "4", f"{run.folder}/plan.md")
        remembering.prune(run, "4")
        if run.approval_mode and run.planning <= 1:
            return "approve_plan"
        return "wave" if run.queue else "v_build"

    @step(
        Gate(
            "Build this plan?", choices=("approved", "plan"), default_rejection="plan", subject=_subject("plan"),
            required=lambda run: feature(run).approval_mode,
        ),
        phase="Planning",
    )  # fmt: skip
    def approve_plan(
        self, run: FeatureRun, outcome: Literal["approved", "plan"]
    ) -> Literal["wave", "v_build", "plan"]:
        if outcome == "plan":
            run.queue, run.at = [], 0
            return "plan"
        return "wave" if run.queue else "v_build"

    @step(
        Cluster(_part, judging.decide_wave, in_order=True, approved_by=_gate("approve_plan", first_plan_only=True)),
        phase="Implementation", key=_wave_key,
    )  # fmt: skip
    def wave(self, run: FeatureRun, outcome: Literal["DONE", "ERROR"]) -> Literal["wave", "v_build"]:
        self._count(run)
        run.at += 1
        return "wave" if outcome == "DONE" and run.at < len(run.queue) else "v_build"

    def _count(self, run: FeatureRun) -> None:
        """What the tasks of this part came to."""
        done = [name for name, each in run.results.items() if each["status"] == "DONE"]
        run.finished = sorted({*run.finished, *done})
        run.failed = sorted({*run.failed, *(name for name in run.results if name not in done)})
        run.touched = sorted({*run.touched, *(str(path) for each in run.results.values() for path in each["changed"])})
        remembering.lessons(run, run.results)
        run.results = {}

    # -- 6: verification

    @step(Stage("v-build", contracts.v_build, judging.judge_build), phase="Verification", base="v-build", loops=True)
    def v_build(self, run: FeatureRun, outcome: Literal["ok", "fail"]) -> Literal["v", "v_verdict"]:
        if not run.build_seen:
            run.build_seen = {"v-build": {"word": "ERROR", "reason": run.reason, "data": {}, "wrote": False}}
        run.tier = review_tier(run.touched, DEFAULT_RULES)
        return "v" if outcome == "ok" else "v_verdict"

    @step(
        Cluster(partial(_members, PARALLEL, contracts.v), judging.gather), phase="Verification", loops=True
    )
    def v(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["v_verdict"]:
        return "v_verdict"

    @step(
        Check(
            "the verification, judged by its table", kind="document", commands=("build", "test"),
            reads=_documents(V_MEMBERS), decide=verdicts.judge_v,
        ),
        phase="Verification", base="v-verdict", loops=True,
    )  # fmt: skip
    def v_verdict(
        self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION", "ERROR"]
    ) -> Literal["r", "plan"]:
        remembering.cluster(run, "v-aggregator", "6", f"{run.folder}/verifier.md", outcome)
        run.findings = outcome != "DONE"
        if outcome == "DONE":
            run.failed = []
            return "r"
        # What failed is to be done again, whoever said it was finished.
        run.finished = [each for each in run.finished if each not in run.failed]
        if run.replanned or run.v_loops >= self.policy["max_v_loops"]:
            run.warn("verification still fails; its findings go with the review")
            return "r"
        run.v_loops += 1
        remembering.invalidate(run, "v-*", "the work is planned anew")
        return self._plan(run)

    # -- 7: review

    @step(Cluster(partial(_members, R_MEMBERS, contracts.r), judging.gather), phase="Review", loops=True)
    def r(self, run: FeatureRun, outcome: Literal["ok"]) -> Literal["r_verdict"]:
        return "r_verdict"

    @step(
        Check(
            "the review, judged by its table", kind="document",
            reads=_documents(R_MEMBERS, "review/knowledge-suggestions.md"),
            decide=partial(verdicts.judge_r, DEFAULT_RULES),
        ),
        phase="Review", base="r-verdict", loops=True,
    )  # fmt: skip
    def r_verdict(
        self, run: FeatureRun, outcome: Literal["DONE", "NEEDS_REVISION", "ERROR"]
    ) -> Literal["done", "r_fix", "plan"]:
        remembering.cluster(run, "r-aggregator", "7", f"{run.folder}/review.md", outcome)
        if outcome == "DONE":
            return "done"
        mend = outcome == "NEEDS_REVISION" and bool(run.affected) and not run.replanned
        if mend and run.r_loops < self.policy["max_r_loops"]:
            run.r_loops += 1
            return "r_fix"
        if run.replanned:
            raise Blocked(f"ERROR: {run.reason or 'the review does not pass'}", "review")
        run.replanned = True
        run.finished = [each for each in run.finished if each not in run.affected]
        remembering.invalidate(run, "r-*", "the work is planned anew")
        return self._plan(run)

    @step(Cluster(_part, judging.decide_wave, in_order=True), phase="Review", base="review-fix", loops=True)
    def r_fix(self, run: FeatureRun, outcome: Literal["DONE", "ERROR"]) -> Literal["r"]:
        self._count(run)
        run.affected = []
        return "r"

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(approval_mode=flag) for flag in (False, True)]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(feature(run), outcome)

    def unblocked(self, run: Run) -> None:
        at = feature(run)
        at.replanned = False
        at.r_loops = 0

    def rewound(self, run: Run) -> None:
        """Loops that come after the step have not been gone through any more."""
        at, order = feature(run), list(self.steps)
        place = order.index(at.step)
        if place <= order.index("ct"):
            at.ct_loops, at.constrained = 0, False
        if place <= order.index("plan"):
            at.v_loops, at.planning = 0, int(at.step == "plan")
            at.queue, at.at, at.tasks, at.finished, at.failed = [], 0, {}, [], []
        if place <= order.index("r"):
            at.r_loops, at.replanned, at.findings = 0, False, False
        at.seen, at.build_seen, at.results, at.affected = {}, {}, {}, []

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(feature(run), history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        return files.artifacts(feature(run))

    def about(self, run: Run, history: History, today: str) -> About:
        at = feature(run)
        return About(at.request, {"Feature": at.slug, "Date": today}, (at.note,) if at.note else ())

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys(files.ROLES, "")

    def protected(self, run: Run) -> Sequence[str]:
        return contracts.PROTECTED

    def closing(self, run: Run) -> str:
        at = feature(run)
        if at.status is not Status.COMPLETE:
            return ""
        return "DONE: complete with findings, see verifier.md" if at.findings else "DONE: complete"
