"""Evidence in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from podium.proof.evidence import STATES, Evidence, State, from_json

Proof = Literal["passed", "failed_before", "none"]
SHOWN = 5
"""Names in one line; how many more there are is said."""


def sentence(evidence: Evidence) -> str:
    """One line, such as `test: 297 passed (12 new)`."""
    name = _name(evidence)
    if evidence.state == "not_run":
        subject = "TESTS" if name == "test" else name if "`" in name else name.upper()
        return f"{subject} DID NOT RUN: {evidence.why}"
    if evidence.state == "passed":
        return f"{name}: {_passed(evidence)}"
    if not evidence.tests or not evidence.tests.failed:
        return f"{name}: {_exit(evidence)}"
    if evidence.state == "failed_before":
        return f"{name}: {_same(evidence)}"
    return f"{name}: {_failed(evidence)}"


def _name(evidence: Evidence) -> str:
    """A command that a document names, and no setting, goes by its own words."""
    own = evidence.name.startswith("verification-") and evidence.command
    return f"`{evidence.command}`" if own else evidence.name


def _passed(evidence: Evidence) -> str:
    if not evidence.tests:
        return "passed"
    facts = []
    if evidence.more:
        facts.append(f"{evidence.more} new")
    if evidence.tests.skipped:
        facts.append(_skipped(evidence.tests.skipped, evidence.newly_skipped))
    return f"{evidence.tests.passed} passed" + _bracket([*facts, *_warnings(evidence)])


def _skipped(skipped: int, new: int) -> str:
    if new == skipped:
        return f"{skipped} newly skipped"
    return f"{skipped} skipped" + (f", {new} of them new" if new else "")


def _same(evidence: Evidence) -> str:
    failed = evidence.tests.failed if evidence.tests else 0
    before = evidence.before.failed if evidence.before else failed
    same = f"the same {failed} as before" if failed > 1 else "the same as before"
    if failed < before:
        same = f"all of them failed before, {before - failed} more did"
    return f"{failed} failed, {same}{_names(evidence.failing)}" + _bracket(_warnings(evidence))


def _failed(evidence: Evidence) -> str:
    failed = evidence.tests.failed if evidence.tests else 0
    new = len(evidence.new)
    text = f"{failed} failed"
    if not evidence.failing:
        return text + ", no names of them" + _bracket(_warnings(evidence))
    if evidence.before is None or not evidence.before.failed or new >= failed:
        return text + _names(evidence.failing) + _bracket(_warnings(evidence))
    if new:
        return f"{text}, {new} of them new{_names(evidence.new)}" + _bracket(_warnings(evidence))
    return f"{text}{_names(evidence.failing)}" + _bracket([evidence.why, *_warnings(evidence)])


def _exit(evidence: Evidence) -> str:
    if evidence.exit == 0 and evidence.why:
        return f"failed: {evidence.why}"
    same = ", the same way as before" if evidence.state == "failed_before" else ""
    passed = f", though {evidence.tests.passed} tests passed" if evidence.tests else ""
    return f"failed (exit {evidence.exit}){same}{passed}"


def _warnings(evidence: Evidence) -> list[str]:
    facts = []
    if evidence.fewer:
        facts.append(f"{evidence.fewer} fewer tests than before")
    if evidence.state != "passed" and evidence.newly_skipped:
        facts.append(f"{evidence.newly_skipped} newly skipped")
    if evidence.deselected:
        facts.append(f"{evidence.deselected} deselected")
    if evidence.reruns:
        facts.append(f"{evidence.reruns} tried again")
    if evidence.state == "passed" and evidence.products:
        facts.append(f"makes {_listed(evidence.products)} anew")
    return facts


def _bracket(facts: Sequence[str]) -> str:
    shown = [fact for fact in facts if fact]
    return f" ({', '.join(shown)})" if shown else ""


def _names(names: Sequence[str]) -> str:
    return f": {_listed(names)}" if names else ""


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def worst(states: Iterable[State]) -> State | None:
    """The state that counts for all of them; None if there are none."""
    return max(states, key=STATES.index, default=None)


def proof_of(evidence: Iterable[Evidence]) -> Proof:
    """What a whole run may rest on. What failed or did not run proves nothing, nor does no
    command.
    """
    state = worst(each.state for each in evidence)
    if state in {"passed", "failed_before"}:
        return state
    return "none"


def line_of(record: Mapping[str, Any]) -> str:
    """The sentence of a journal's record."""
    return sentence(from_json(record))


def failure_lines(record: Mapping[str, Any]) -> list[str]:
    """What did not work, for whoever has to fix it: the sentence, and what was printed last."""
    output = str(record.get("output", "")).strip()
    head = f"{line_of(record)} (`{record.get('command', '')}`)"
    return [head, output] if output else [head]
