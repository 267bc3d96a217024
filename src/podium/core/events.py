"""Every fact worth remembering, as the journal writes it. The journal adds seq, ts, run, prev,
hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.run import Run, counters

Fact = dict[str, Any]


def state_of(run: Run) -> dict[str, Any]:
    """The whole state after an event, from which the state file can be rolled forward."""
    return {"step": run.step, **counters(run)}


def run_started(
    run: Run, workflow: str, input: Sequence[str], version: str, changed: Sequence[str] = ()
) -> Fact:
    """`changed`: what of the settings and rules is not as it was when the last run started."""
    return {
        "type": "run.started",
        "workflow": workflow,
        "input": list(input),
        "version": version,
        **({"changed": list(changed)} if changed else {}),
        "state": state_of(run),
    }


def run_resumed(run: Run, reason: str, version: str) -> Fact:
    return {"type": "run.resumed", "reason": reason, "version": version, "state": state_of(run)}


def run_edited(run: Run, path: str, changes: Sequence[str]) -> Fact:
    return {"type": "run.edited", "path": path, "changes": list(changes), "state": state_of(run)}


_POSITION = frozenset({"step", "status", "reason", "stop", "note", "visits"})


def run_advanced(
    before: Run, after: Run, outcome: str, *, onward: bool = False, back_to: str = ""
) -> Fact:
    """`onward`: the step is entered again to continue, not to repeat it. `back_to`: the key that
    is repeated.
    """
    state = state_of(after)
    fact: Fact = {
        "type": "run.advanced",
        "from": before.step,
        "to": after.step,
        "outcome": outcome,
        "counters": {k: v for k, v in state.items() if k not in _POSITION},
        "state": state,
    }
    if onward:
        fact["onward"] = True
    return {**fact, "back_to": back_to} if back_to else fact


def run_paused(run: Run, reason: str, gates: Sequence[str] = (), until: str | None = None) -> Fact:
    fact: Fact = {"type": "run.paused", "reason": reason, "state": state_of(run)}
    return {**fact, "until": until} if until else {**fact, "gates": list(gates)}


def run_blocked(run: Run, reason: str, key: str, files: Mapping[str, str] | None = None) -> Fact:
    """`files`: digests of what the blocked step should have made; a person may make it instead."""
    fact: Fact = {
        "type": "run.blocked",
        "reason": reason,
        "key": key,
        "stop": run.stop,
        "state": state_of(run),
    }
    return {**fact, "files": dict(files)} if files else fact


def run_completed(
    run: Run,
    outcome: str,
    proof: str = "none",
    *,
    evidence: Sequence[Mapping[str, Any]] = (),
    changes: Mapping[str, Any] | None = None,
) -> Fact:
    """`proof`: what the end rests on: `passed`, `failed_before` or `none`; `evidence`: what each
    command proved. `changes`: what the run did to the code.
    """
    fact: Fact = {"type": "run.completed", "outcome": outcome, "proof": proof}
    if evidence:
        fact["evidence"] = [dict(entry) for entry in evidence]
    if changes:
        fact["changes"] = dict(changes)
    return {**fact, "state": state_of(run)}


def run_cancelled(run: Run, reason: str) -> Fact:
    return {"type": "run.cancelled", "reason": reason, "state": state_of(run)}


def phase(entered: bool, name: str) -> Fact:
    return {"type": "phase.entered" if entered else "phase.left", "phase": name}


def phase_over(name: str) -> list[Fact]:
    """The event that leaves the last phase of a run that ends; nothing if it was in none.

    It comes before the end itself: if the end is torn off, recovery sees from the last move that
    the run has ended.
    """
    return [phase(False, name)] if name else []


def step_started(
    key: str,
    step: str,
    kind: str,
    role: str,
    attempt: int,
    inputs: Mapping[str, str],
    *,
    repair: int = 0,
    definition: Mapping[str, str] | None = None,
) -> Fact:
    """`definition`: where the role's definition comes from, and its digest."""
    fact: Fact = {
        "type": "step.started",
        "key": key,
        "step": step,
        "kind": kind,
        "role": role,
        "attempt": attempt,
        "repair": repair,
        "inputs": dict(inputs),
    }
    if definition:
        fact["definition"] = dict(definition)
    return fact


def step_finished(
    key: str,
    outcome: str,
    verdict: str,
    *,
    outputs: Mapping[str, str],
    evidence: Sequence[Mapping[str, Any]],
    usage: Mapping[str, Any],
    assurance: Mapping[str, str],
    classification: str = "",
    reason: str = "",
    sets: Mapping[str, Any] | None = None,
    commit: str = "",
    base: str = "",
    before: Mapping[str, str] | None = None,
    stop: str = "",
    failure: str = "",
    facts: Sequence[Mapping[str, Any]] = (),
) -> Fact:
    """`failure`: the class of a failure after which the workflow itself decides about another
    attempt.

    `facts`: the workflow's own events that follow in the same write; a torn write may lose them.
    """
    fact: Fact = {
        "type": "step.finished",
        "key": key,
        "outcome": outcome,
        "verdict": verdict,
        "outputs": dict(outputs),
        "evidence": [dict(each) for each in evidence],
        "usage": dict(usage),
        "assurance": dict(assurance),
        "classification": classification,
        "reason": reason,
    }
    if sets:
        fact["sets"] = dict(sets)
    if facts:
        fact["facts"] = [dict(each) for each in facts]
    if stop:
        fact["stop"] = stop
    if failure:
        fact["failure"] = failure
    if before:
        fact["before"] = dict(before)
    if commit:
        fact["commit"] = commit
        fact["base"] = base
    return fact


def step_interrupted(key: str) -> Fact:
    return {"type": "step.interrupted", "key": key}


def step_reused(key: str) -> Fact:
    return {"type": "step.reused", "key": key}


def step_conflicted(key: str, paths: Sequence[str]) -> Fact:
    """Work done side by side with other work cannot be merged with it, so none of it goes into
    the project.
    """
    return {"type": "step.conflicted", "key": key, "paths": list(paths)}


def step_merged(
    key: str,
    commit: str,
    base: str,
    outputs: Mapping[str, str],
    *,
    over: Sequence[str] = (),
    before: Mapping[str, str] | None = None,
) -> Fact:
    """Work done side by side with other work, as it is after merging both.

    `over`: files that it replaces because a person said so; `before`: the digests now at its
    documents' places.
    """
    fact: Fact = {
        "type": "step.merged",
        "key": key,
        "commit": commit,
        "base": base,
        "outputs": dict(outputs),
    }
    if over:
        fact["over"] = list(over)
    return {**fact, "before": dict(before or {})} if over or before else fact


def step_held(key: str, paths: Sequence[str]) -> Fact:
    """Good work stays out of the project until a person decides about their own files in its
    place.
    """
    return {"type": "step.held", "key": key, "paths": list(paths)}


def step_stale(key: str, because: Sequence[str]) -> Fact:
    return {"type": "step.stale", "key": key, "because": list(because)}


def artifact_verified(key: str, path: str, digest: str) -> Fact:
    return {"type": "artifact.verified", "key": key, "path": path, "digest": digest}


def artifact_rejected(key: str, path: str, failure: str, detail: str, repair: int) -> Fact:
    return {
        "type": "artifact.rejected",
        "key": key,
        "path": path,
        "failure": failure,
        "detail": detail,
        "repair": repair,
    }


def contract_violated(key: str, paths: Sequence[str], kind: str) -> Fact:
    return {
        "type": "contract.violated",
        "key": key,
        "paths": list(paths),
        "action": "quarantined",
        "kind": kind,
    }


def retry_scheduled(
    key: str,
    classification: str,
    attempt: int,
    limit: int,
    delay_s: float,
    detail: Sequence[str] = (),
    usage: Mapping[str, Any] | None = None,
) -> Fact:
    return {
        "type": "retry.scheduled",
        "key": key,
        "classification": classification,
        "attempt": attempt,
        "limit": limit,
        "delay_s": delay_s,
        "detail": list(detail),
        "usage": dict(usage or {}),
    }


def retry_exhausted(key: str, classification: str, rule: str) -> Fact:
    return {"type": "retry.exhausted", "key": key, "classification": classification, "rule": rule}


def by_workflow(fact: Fact) -> Fact:
    """An engine event that the workflow records among its own, so that it is not recorded twice
    after a torn write.
    """
    return {**fact, "of": "workflow"}


def gate_opened(
    key: str,
    step: str,
    kind: str,
    prompt: str,
    choices: Sequence[str],
    subject: Mapping[str, str],
    *,
    words: bool = False,
    evidence: Sequence[Mapping[str, Any]] = (),
    baseline: Sequence[Mapping[str, Any]] = (),
    changes: Mapping[str, Any] | None = None,
) -> Fact:
    """`words`: whether the gate accepts an answer in a person's own words, besides the choices.

    What a person should know first: the `evidence` that commands gave, or, before there is any,
    the `baseline`; and the `changes` to the code that the decision is about.
    """
    fact: Fact = {
        "type": "gate.opened",
        "key": key,
        "step": step,
        "kind": kind,
        "prompt": prompt,
        "choices": list(choices),
        "subject": dict(subject),
    }
    for name, records in (("evidence", evidence), ("baseline", baseline)):
        if records:
            fact[name] = [dict(entry) for entry in records]
    if changes:
        fact["changes"] = dict(changes)
    return {**fact, "words": True} if words else fact


def gate_decided(key: str, decision: str, by: str, note: str, subject: Mapping[str, str]) -> Fact:
    return {
        "type": "gate.decided",
        "key": key,
        "decision": decision,
        "by": by,
        "note": note,
        "subject": dict(subject),
    }


def gate_stale(key: str, because: Sequence[str]) -> Fact:
    return {"type": "gate.stale", "key": key, "because": list(because)}


def document_saved(path: str, digest: str) -> Fact:
    return {"type": "document.saved", "path": path, "digest": digest}


def document_drifted(path: str, was: str, now: str) -> Fact:
    return {"type": "document.drifted", "path": path, "was": was, "now": now}


def budget_reached(axis: str, used: float | None, cap: float) -> Fact:
    """`used` is None if nobody knows: a cap that cannot be checked counts as reached."""
    return {"type": "budget.reached", "axis": axis, "used": used, "cap": cap}


def verdict_contradicted(key: str, detail: Sequence[str]) -> Fact:
    """Two statements in one answer disagree; the worse counts."""
    return {"type": "verdict.contradicted", "key": key, "detail": list(detail)}


def proof_baseline(base: str, evidence: Sequence[Mapping[str, Any]]) -> Fact:
    """What the project's commands prove before any step. `base`: the commit they ran on."""
    return {"type": "proof.baseline", "base": base, "evidence": [dict(entry) for entry in evidence]}


def proof_checked(key: str, evidence: Sequence[Mapping[str, Any]]) -> Fact:
    """What the project's commands prove about the code as it is at a gate, or at the end. `key`:
    the step about to be decided.
    """
    return {"type": "proof.checked", "key": key, "evidence": [dict(entry) for entry in evidence]}


def proof_waived(key: str, commands: Sequence[str], by: str, note: str) -> Fact:
    """A person goes on without what these commands would prove. `key`: the step it is about; "" =
    the whole run.
    """
    return {
        "type": "proof.waived",
        "key": key,
        "commands": list(commands),
        "by": by,
        "note": note,
    }


def tests_weakened(key: str, findings: Sequence[Mapping[str, Any]], held: bool) -> Fact:
    """What a step did to tests, or to what decides how they run, that a person has to see."""
    return {
        "type": "tests.weakened",
        "key": key,
        "paths": list(dict.fromkeys(str(finding["path"]) for finding in findings)),
        "how": [str(finding["how"]) for finding in findings],
        "findings": [dict(finding) for finding in findings],
        "held": held,
    }
