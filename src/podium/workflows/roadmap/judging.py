"""What a finished dispatch of an item means, and what the run keeps of it for the next dispatch.

Before Implement, `blocked` blocks the item. From Implement on, anything but success is a failed
attempt, whatever word the agent chose, and is tried again while retries are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement, Outcome
from podium.formats.field_lines import one_line
from podium.workflows.roadmap.messages.compression import (
    compress,
    compress_failures,
    compress_files,
)
from podium.workflows.roadmap.messages.words import (
    CHECK,
    REVIEW,
    STATUS,
    TESTS,
    VALIDATION,
    Vocabulary,
)

SUMMARY_LINES = 20
SUMMARY_CHARS = 2000
"""How much of a Testing or Review answer is kept: the verdicts matter, and the full answer is in
the step's folder.
"""

Judge = Callable[[Report], Judgement]


def judge_work(member: str) -> Judge:
    """For research and design: the verdict decides, and the findings are kept under that member
    of the run.
    """

    def judge(report: Report) -> Judgement:
        said = report.verdict
        return Judgement(
            said.outcome if said.data else "fail",
            said.word if said.data else "malformed",
            said.reason if said.data else "the answer holds no verdict",
            sets={member: _findings(report)},
        )

    return judge


judge_research = judge_work("research_found")
judge_design = judge_work("design")


def judge_implement(report: Report) -> Judgement:
    """The engine determines which files changed; from the agent only notes on these files are
    kept.
    """
    claimed = report.verdict.data.get("files", ())
    return _judged(report, {"implemented": list(compress_files(report.changed, claimed))})


def judge_validation(report: Report) -> Judgement:
    return _judged(report, {}, ("validation", VALIDATION))


def judge_testing(report: Report) -> Judgement:
    return _judged(report, {"tested": _summary(report, "tests")}, ("tests", TESTS))


def judge_review(minor_fixes: str) -> Judge:
    """`minor_fixes` is the policy: with `pass`, a review that asks only for small fixes passes
    if its checks do.
    """

    def judge(report: Report) -> Judgement:
        data = report.verdict.data
        sets = {"reviewed": _summary(report, "review", *data.get("checks", {}).items())}
        lenient = minor_fixes == "pass" and data.get("review") == "minor_fixes"
        broken = any(
            CHECK.words[word] != "ok" for word in data.get("checks", {"": "fail"}).values()
        )
        if lenient and not broken and data["status"] != "blocked":
            told = "minor fixes are asked for; the policy lets them pass"
            return Judgement("ok", "minor_fixes", told, sets={**sets, "failure": []})
        return _judged(report, sets, ("review", REVIEW))

    return judge


def _judged(
    report: Report, sets: Mapping[str, Any], own: tuple[str, Vocabulary] | None = None
) -> Judgement:
    """From Implement on: ok, or a failed attempt with everything that was wrong."""
    said = report.verdict
    ok = said.outcome == "ok" and bool(said.data)
    outcome: Outcome = "ok" if ok else "revise"
    return Judgement(
        outcome,
        said.word if said.data else "malformed",
        one_line(said.reason) if said.data else "the answer holds no verdict",
        contradictions=_contradictions(said.data, own),
        sets={**sets, "failure": [] if ok else list(_failures(report))},
    )


def _contradictions(data: Mapping[str, Any], own: tuple[str, Vocabulary] | None) -> tuple[str, ...]:
    """Where one part of an answer says success and another says otherwise."""
    parts = [
        (name, word) for name, word in data.get("checks", {}).items() if CHECK.words[word] != "ok"
    ]
    if own and data and own[1].words[data[own[0]]] != "ok":
        parts.append((own[0], data[own[0]]))
    fine = [("status", data["status"])] if data and STATUS.words[data["status"]] == "ok" else []
    if own and data and own[1].words[data[own[0]]] == "ok":
        fine.append((own[0], data[own[0]]))
    return tuple(
        f"{good} is {word}, but {bad} is {said}" for good, word in fine for bad, said in parts
    )


def _failures(report: Report) -> tuple[str, ...]:
    """What the agent listed as failed; without a list, its verdict and what its answer says."""
    data = report.verdict.data
    checks = [f"{name}: fail" for name, word in data.get("checks", {}).items() if word == "fail"]
    listed = [each for each in data.get("failures", ()) if each.strip()]
    told = [each for each in checks if not any(one.startswith(each) for one in listed)]
    if not listed:
        answer = compress(report.answer, lines=SUMMARY_LINES, chars=SUMMARY_CHARS)
        told += [] if told else [report.verdict.reason]
        told += [
            line.removeprefix("- ")
            for line in answer.splitlines()
            if line and not line.startswith("**")
        ]
    return compress_failures([*told, *listed]) or ("it failed without a reason",)


def _findings(report: Report) -> str:
    """The compressed answer and documents, plus what only the verdict object says."""
    data = report.verdict.data
    written = sorted(report.outputs.items())
    found = compress("\n\n".join([report.answer, *(text for _, text in written)]))
    more = [f"`{name}`" for name, _ in written if "/" in name]
    more += [f"{each['path']}: {each['note']}".removesuffix(": ") for each in data.get("files", ())]
    more += [*data.get("learnings", ()), *data.get("failures", ())]
    return compress(
        "\n".join([found, *(f"- {line}" for each in more if (line := one_line(each)) not in found)])
    )


def _summary(report: Report, name: str, *more: tuple[str, str]) -> str:
    """The verdict, followed by the compressed answer."""
    data = report.verdict.data
    head = [f"- {key}: {word}" for key, word in ((name, data.get(name, "")), *more) if word]
    return compress("\n".join([*head, "", report.answer]), lines=SUMMARY_LINES, chars=SUMMARY_CHARS)
