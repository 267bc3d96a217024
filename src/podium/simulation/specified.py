"""What each workflow's specification says must come before what: the rules that the onlooker checks
runs against.

Written from the specifications, step by step, and deliberately not from the workflows' code, which
nothing here may import. `needs` are ends of steps, `since` is what makes them due again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.core.run import Run
from podium.core.workflow import Workflow
from podium.simulation.watching import Rule, rule


def _member(name: str, default: Any = None) -> Callable[[Run], Any]:
    return lambda run: getattr(run, name, default)


def _flag(gate: str) -> Callable[[Run], bool]:
    return lambda run: bool(getattr(run, "approvals", {}).get(gate, True))


def _kind(*kinds: str) -> Callable[[Run], bool]:
    """Items of such a complexity that start at the beginning."""
    return lambda run: getattr(run, "complexity", "") in kinds and run.step != "edited"


def _sent_back(stage: str, target: str, *gates: str) -> Rule:
    """What a person sends back to a stage goes through it again before it continues."""
    return rule("stage", target, [f"{stage} ok"], [(gate, stage) for gate in gates], at_once=False)


_DOCUMENTS = ("specification", "design", "implementation_planning")

HARNESS = (
    rule("stage", "design", ["specification ok"], ["specification"]),
    rule("stage", "implementation_planning", ["design ok"], ["specification", "design"]),
    rule("stage", "build", ["implementation_planning ok"], _DOCUMENTS),
    rule("stage", "qa", ["build ok"], [*_DOCUMENTS, "build"]),
    rule("stage", "approve_completion", ["qa ok"], [*_DOCUMENTS, "build", "qa"]),
    rule("stage", "done", ["qa ok"], [*_DOCUMENTS, "build", "qa"]),
    rule("stage", "qa", ["build ok"], [("qa", "revise")], at_once=False),
    *(
        _sent_back(stage, "qa", "approve_build", "approve_completion")
        for stage in (*_DOCUMENTS, "build")
    ),
    rule("gate", "build", ["approve_build approved"], _DOCUMENTS, _flag("approve_build")),
    rule(
        "gate",
        "done",
        ["approve_completion approved"],
        [*_DOCUMENTS, "build", "qa"],
        _flag("approve_completion"),
    ),
)

FEATURE = (
    rule("stage", "research", ["setup ok"]),
    rule("stage", "synthesis", ["research DONE"]),
    rule("stage", "spec", ["synthesis ok"], ["synthesis"]),
    rule("stage", "design", ["spec ok"], ["spec"]),
    rule("stage", "ct", ["design ok"], ["design"]),
    rule("stage", "ct_verdict", ["ct ok"], ["design", "ct"]),
    rule("stage", "plan", ["ct_verdict DONE", "ct_verdict NEEDS_REVISION"], ["design"]),
    rule("stage", "schedule", ["plan ok"], ["plan"]),
    rule("stage", "wave", ["schedule ok"], ["plan"]),
    rule("stage", "v_build", ["wave DONE", "wave ERROR"], ["plan"]),
    rule("stage", "v", ["v_build ok"], ["plan", "wave", "v_build"]),
    rule("stage", "v_verdict", ["v ok", "v_build fail"], ["plan", "wave", "v_build"]),
    rule(
        "stage",
        "r",
        ["v_verdict DONE", "v_verdict NEEDS_REVISION", "v_verdict ERROR"],
        ["plan", "wave"],
    ),
    rule("stage", "r", ["r_check ok"], ["r_fix"], at_once=False),
    rule("stage", "r_verdict", ["r ok"], ["plan", "wave", "r_fix", "r"]),
    rule("stage", "done", ["r_verdict DONE"], ["design", "plan", "wave", "r_fix", "r"]),
    _sent_back("synthesis", "spec", "approve_research"),
    _sent_back("plan", "schedule", "approve_plan"),
    rule(
        "gate",
        "spec",
        ["approve_research approved"],
        ["synthesis"],
        _member("approval_mode", False),
    ),
    rule("gate", "wave", ["approve_plan approved"], (), _member("approval_mode", False)),
)

ROADMAP = (
    rule("stage", "item", ["select picked"], ["item"]),
    rule("stage", "commit", ["item done"], ["select"]),
    rule("stage", "select", ["commit ok"], [("item", "done")], at_once=False),
    rule("stage", "done", ["select complete"], ["item"]),
)

ROADMAP_ITEM = (
    rule("stage", "architect", ["research ok"], (), _kind("complex")),
    rule("stage", "implement", ["research ok"], (), _kind("complex")),
    rule("stage", "implement", ["architect ok"], (), _kind("medium", "complex")),
    rule("stage", "testing", ["implement ok"], ["implement"]),
    rule(
        "stage",
        "testing",
        ["validate ok"],
        ["implement"],
        lambda run: getattr(run, "complexity", "") == "complex",
    ),
    rule("stage", "review", ["testing ok"], ["implement"]),
    rule("stage", "done", ["review ok"], ["implement"], lambda run: run.step != "verify"),
    rule(
        "stage",
        "done",
        ["verify pass"],
        ["implement"],
        lambda run: bool(getattr(run, "verification", ())),
    ),
    rule(
        "gate",
        "implement",
        ["edited approved", "edited restart"],
        (),
        lambda run: run.step == "edited",
    ),
)


def _fresh(run: Run) -> bool:
    return not getattr(run, "resumes_at", "")


TICKET = (
    rule("stage", "prompted", ["analyse clear", "analyse restored", "interpret ok"]),
    rule("stage", "plan", ["begin ok"], ["plan"]),
    rule("stage", "settle", ["plan ok", "split_tasks ok"], ["begin", "settle"], _fresh),
    rule("stage", "develop", ["settle use"], ["begin"], _fresh),
    rule("stage", "develop", ["next_group develop"], ["develop"]),
    rule("stage", "validate", ["next_group validate"], ["validate"]),
    rule("stage", "review", ["next_group finished"], ["begin"]),
    rule("stage", "judge", ["review ok", "review revise"], ["begin", "review"]),
    rule("stage", "accept", ["next_group trivial"], ["begin"]),
    rule("stage", "commit", ["judge accepted", "accept ok"], ["begin"]),
    rule("stage", "done", ["commit refresh", "commit none"], ["begin"]),
    rule("stage", "done", ["commit_docs ok"], ["commit"]),
    rule("stage", "done", ["give_back ok"], ["commit"]),
    rule("gate", "git_move", ["git_look go"], ["git_look"]),
    rule("gate", "develop", ["git_move ok"]),
    rule("gate", "commit", ["git_move ok"]),
)

GOVERNED = (
    rule(
        "stage",
        "check_plan",
        ["draft ok", "draft revise", "draft abstain", "judge_review changed", "open_wave changed"],
    ),
    rule("stage", "audit", ["check_plan ok"], ["draft"]),
    rule("stage", "open_wave", ["check_plan ok", "resolve_plan proceed"], ["draft"]),
    rule("stage", "run_wave", ["open_wave ask"], ["draft"]),
    rule(
        "stage",
        "close_wave",
        ["run_wave complete", "run_wave replan", "run_wave escalated"],
        ["run_wave"],
    ),
    rule("stage", "judge_final", ["final_review ok"], ["final_review", "fix"]),
    rule("stage", "approve_completion", ["summarise ok"], ["draft", "run_wave", "fix"]),
    rule("stage", "done", ["summarise ok"], ["draft", "run_wave", "fix"]),
    rule(
        "stage",
        "run_wave",
        ["draft ok", "draft revise", "draft abstain"],
        [
            (gate, "draft")
            for gate in ("approve_plan", "approve_wave", "approve_risk", "approve_completion")
        ],
        at_once=False,
    ),
    rule("gate", "run_wave", ["approve_plan approved", "resolve_plan proceed"], ["draft"]),
    rule("gate", "run_wave", ["approve_wave approved", "approve_risk approved"], ["open_wave"]),
    rule("gate", "fix", ["approve_plan approved", "resolve_plan proceed"], ["draft"]),
    rule("gate", "done", ["approve_completion approved"], ["draft", "summarise"]),
)

GOVERNED_PHASE = (
    rule("stage", "execute", ["preflect GO"]),
    rule("stage", "evidence", ["execute ok"], ["execute"]),
    rule("stage", "review", ["evidence pass"], ["execute"]),
    rule("stage", "mark", ["evidence pass"], ["execute"]),
    rule("gate", "execute", ["accept_risk approved"], [("execute", "high_risk")], at_once=False),
)

_LINE = (*_DOCUMENTS, "build", "qa")


def rules_for(workflow: Workflow) -> list[Rule]:
    """The rules about this workflow; none if a project has put the stages in an order of its own.

    A rule about a step that the workflow does not have does not apply to it.
    """
    if (
        workflow.name == "harness"
        and tuple(each for each in workflow.steps if each in _LINE) != _LINE
    ):
        return []
    known = {*workflow.steps, "done"}
    if getattr(workflow, "evidence", "observe") == "trust":
        known.discard("verify")  # its policy trusts Testing and Review
    return [
        each
        for each in RULES.get(workflow.name, ())
        if {each.target, *(step for step, _ in each.needs)} <= known
    ]


RULES: Mapping[str, Sequence[Rule]] = {
    "harness": HARNESS,
    "feature": FEATURE,
    "roadmap": ROADMAP,
    "roadmap-item": ROADMAP_ITEM,
    "ticket": TICKET,
    "governed": GOVERNED,
    "governed-phase": GOVERNED_PHASE,
}
