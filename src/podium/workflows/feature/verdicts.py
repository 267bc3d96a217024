"""The three clusters judged by code: members' files and words in, one verdict and its document out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.core.run import Run
from podium.core.verdict import Judgement, Outcome, Verdict
from podium.workflows.feature import aggregates
from podium.workflows.feature.clusters import (
    CT_MEMBERS,
    R_MEMBERS,
    V_MEMBERS,
    Decided,
    decide_ct,
    decide_r,
    decide_v,
    strictest,
)
from podium.workflows.feature.contracts import feature
from podium.workflows.feature.documents import SHAPES
from podium.workflows.feature.knowledge import screened
from podium.workflows.feature.observation import Observed, observed
from podium.workflows.feature.run import FeatureRun
from podium.workflows.feature.tier import review_tier

Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]
_OUTCOMES: Mapping[str, Outcome] = {"DONE": "ok", "NEEDS_REVISION": "revise", "ERROR": "fail"}


def paths(run: FeatureRun, members: Iterable[str]) -> dict[str, str]:
    return {each: f"{run.folder}/{SHAPES[each].path}" for each in members}


def _observed(run: FeatureRun, members: Sequence[str], texts: Texts) -> list[Observed]:
    """Each member by what it said and by its file; a file that a member of this round did not write is not its own."""
    found = []
    for name, path in paths(run, members).items():
        seen = run.seen.get(name) or run.build_seen.get(name)
        verdict = Verdict("ok", seen["word"], seen["reason"], seen["data"]) if seen else None
        found.append(observed(name, verdict, texts.get(path) if seen and seen["wrote"] else None))
    return found


def _judged(decided: Decided, line: str, document: Mapping[str, str], **sets: Any) -> Judgement:
    return Judgement(
        _OUTCOMES[decided.status], line, decided.reason, decided.status,
        sets={"seen": {}, "build_seen": {}, **sets}, writes=document, stop="cluster",
    )  # fmt: skip


def judge_ct(max_loops: int, run: Run, texts: Texts, _found: Evidence) -> Judgement:
    at = feature(run)
    members = _observed(at, CT_MEMBERS, texts)
    decided = decide_ct([each.seen for each in members])
    last = decided.status == "NEEDS_REVISION" and at.ct_loops >= max_loops
    data = aggregates.gathered(decided, members, paths(at, CT_MEMBERS), at.ct_loops + 1, constraints=last)
    line = aggregates.outcome_line("ct", decided)
    return _judged(decided, line, {f"{at.folder}/design_critical_review.md": aggregates.render_ct(data)})


def judge_v(run: Run, texts: Texts, found: Evidence) -> Judgement:
    """The members, and the engine's own commands: what they refuse nobody can talk past."""
    at = feature(run)
    members = _observed(at, V_MEMBERS, texts)
    decided = decide_v([each.seen for each in members])
    broken = [f"`{each['command']}` exits {each['exit']}" for each in found if not each["passed"]]
    own = Decided("NEEDS_REVISION", f"the engine's own run: {'; '.join(broken)}") if broken else None
    decided = strictest(decided, own)
    data = aggregates.gathered(decided, members, paths(at, V_MEMBERS), at.v_loops + 1)
    data["warnings"] = [*data["warnings"], *(f"observed: {each}" for each in broken)]
    failing = sorted({*aggregates.failing_tasks(data), *at.failed})
    line = aggregates.outcome_line("v", decided, failing)
    return _judged(decided, line, {f"{at.folder}/verifier.md": aggregates.render_v(data)}, failed=failing)


def judge_r(rules: Mapping[str, Sequence[str]], run: Run, texts: Texts, _found: Evidence) -> Judgement:
    at = feature(run)
    members = _observed(at, R_MEMBERS, texts)
    decided = decide_r([each.seen for each in members])
    tier = review_tier(at.touched, rules)
    data = aggregates.gathered(decided, members, paths(at, R_MEMBERS), at.r_loops + 1, tier=tier)
    writes = {f"{at.folder}/review.md": aggregates.render_r(data)}
    suggested = f"{at.folder}/review/knowledge-suggestions.md"
    if text := texts.get(suggested):
        writes[suggested] = screened(text)
    affected = _known(at, aggregates.affected_tasks(data)) if decided.status == "NEEDS_REVISION" else []
    line = aggregates.outcome_line("r", decided, affected)
    return _judged(decided, line, writes, affected=affected, tier=tier)


def _known(run: FeatureRun, named: Iterable[str]) -> list[str]:
    """The tasks that are meant: by id, or by number."""
    numbers = {each.partition("-")[0].lstrip("0"): each for each in run.tasks}
    found = [each if each in run.tasks else numbers.get(each.partition("-")[0].lstrip("0"), "") for each in named]
    return sorted({each for each in found if each})
