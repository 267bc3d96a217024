"""Reads what an agent left as its report, as hostile input, and turns it into an answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.agents.protocol import Answer, Failure, Job, Question, Usage
from podium.agents.reporting.injection import REPORTED
from podium.agents.reporting.server import ASK, QUESTION, faults
from podium.agents.reporting.sources import Found, Reported, verdict_source
from podium.agents.verdict_file import NAME, BadFile, read_verdict


def read_report(scratch: Path, schema: Found = None) -> Reported:
    """The verdict from the first of its sources. `schema` is the vendor's schema output."""
    return verdict_source(
        tool=_found(scratch / REPORTED), file=_found(scratch / NAME), schema=schema
    )


def read_question(scratch: Path) -> Question | None:
    """The question that the tool `ask` stored. Raises BadFile if something else is there."""
    data = read_verdict(scratch / QUESTION)
    if data is None:
        return None
    if wrong := next(faults(ASK, data), ""):
        raise BadFile(f"{QUESTION}: {wrong}")
    choices = tuple((each["id"], each["description"]) for each in data.get("choices", ()))
    recommended = data.get("recommended", "")
    known = {ident for ident, _ in choices}
    if len(known) != len(choices):
        raise BadFile(f"{QUESTION}: two choices have the same id")
    return Question(data["question"], choices, recommended if recommended in known else "")


def answered(job: Job, text: str, usage: Usage | None = None, schema: Found = None) -> Answer:
    """The answer of an agent that came to its end: question, verdict or words; a failure if
    there is none.
    """
    used = usage or Usage()
    try:
        question = read_question(job.scratch)
    except BadFile as fault:
        return Answer(text, usage=used, failure=Failure("garbage", str(fault)))
    if question is not None:
        job.say("ask", {"question": question.prompt})
        return Answer(text, usage=used, question=question)
    found = read_report(job.scratch, schema)
    job.say("verdict", _shown(found))
    if found.fault:
        return Answer(text, usage=used, failure=Failure("garbage", found.fault))
    if found.verdict is None and not text.strip():
        return Answer(
            usage=used, failure=Failure("empty", "it ended, but gave no message and no verdict")
        )
    return Answer(text, found.verdict, used)


def _found(path: Path) -> Found:
    try:
        return read_verdict(path)
    except BadFile as fault:
        return str(fault)


def _shown(found: Reported) -> Mapping[str, Any]:
    return {"source": found.source, **({"fault": found.fault} if found.fault else {})}
