"""A last look before a phase is dispatched: four kinds of risk, one decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from podium.core.dataclass import dataclass

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
    """Files earlier phases changed that are outside every phase of the plan."""
    payload_faults: Sequence[str] = ()
    """What is wrong with what the executor would be handed."""
    open_dependencies: Sequence[int] = ()
    """Phases this one waits for and that are not complete."""
    unmarked: Sequence[str] = ()
    """Todos of earlier waves that are not marked."""
    missing_inputs: Sequence[str] = ()
    hazards: Sequence[str] = ()
    """High-risk actions the phase says it will do, and no person approved."""


@dataclass(frozen=True)
class Preflect:
    """The decision and every risk that was seen."""

    decision: Decision
    risks: tuple[tuple[RiskClass, str], ...] = ()
    needs_person: bool = False

    @property
    def reason(self) -> str:
        return "; ".join(why for _, why in self.risks) or "no risk seen"


def preflect(seen: Beforehand) -> Preflect:
    """GO where nothing is in the way; a drifted plan goes back before anything that is only missing is waited for."""
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
        yield "missing_evidence", f"waits for phase {', '.join(map(str, sorted(seen.open_dependencies)))}"
    for each in seen.unmarked:
        yield "missing_evidence", f"{each} is not marked"
    for each in seen.missing_inputs:
        yield "missing_evidence", f"{each} is missing"
    if seen.hazards:
        yield "destructive", f"no person approved: {', '.join(seen.hazards)}"
