"""A last look before a phase is dispatched: four kinds of risk, one decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Decision = Literal["GO", "REPLAN", "ABSTAIN"]
RiskClass = Literal["scope_drift", "contract_drift", "missing_evidence", "destructive"]
_MEANS: dict[RiskClass, Decision] = {
    "scope_drift": "REPLAN",
    "contract_drift": "REPLAN",
    "missing_evidence": "ABSTAIN",
    "destructive": "ABSTAIN",
}


@dataclass(frozen=True)
class Beforehand:
    """What the program knows about a phase that is about to start."""

    executor_fault: str = ""
    undeclared: Sequence[str] = ()
    """Files that earlier phases changed although no phase of the plan names them."""
    payload_faults: Sequence[str] = ()
    """What is wrong with the executor's payload."""
    open_dependencies: Sequence[int] = ()
    """Phases that this one waits for and that are not complete."""
    unmarked: Sequence[str] = ()
    """Todos of earlier waves that are not marked."""
    missing_inputs: Sequence[str] = ()
    hazards: Sequence[str] = ()
    """High-risk actions that the phase announces and no person approved."""


@dataclass(frozen=True)
class Preflect:
    """The decision and every risk found."""

    decision: Decision
    risks: tuple[tuple[RiskClass, str], ...] = ()
    needs_person: bool = False

    @property
    def reason(self) -> str:
        return "; ".join(why for _, why in self.risks) or "no risk seen"


def preflect(seen: Beforehand) -> Preflect:
    """GO if nothing is in the way; a plan that has drifted goes back, even if something else is
    merely missing.
    """
    risks = tuple(_risks(seen))
    said = {_MEANS[kind] for kind, _ in risks}
    decision: Decision = "REPLAN" if "REPLAN" in said else "ABSTAIN" if said else "GO"
    return Preflect(decision, risks, needs_person=any(kind == "destructive" for kind, _ in risks))


def _risks(seen: Beforehand) -> Iterator[tuple[RiskClass, str]]:
    if seen.executor_fault:
        yield "scope_drift", seen.executor_fault
    if seen.undeclared:
        yield "scope_drift", f"changed outside the plan: {', '.join(sorted(seen.undeclared))}"
    for each in seen.payload_faults:
        yield "contract_drift", each
    if seen.open_dependencies:
        yield (
            "missing_evidence",
            f"waits for phase {', '.join(map(str, sorted(seen.open_dependencies)))}",
        )
    for each in seen.unmarked:
        yield "missing_evidence", f"{each} is not marked"
    for each in seen.missing_inputs:
        yield "missing_evidence", f"{each} is missing"
    if seen.hazards:
        yield "destructive", f"no person approved: {', '.join(seen.hazards)}"
