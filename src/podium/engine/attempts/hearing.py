"""Turns what an agent said into something that can be recorded; everything an agent says passes
through here.

JSON can contain half a surrogate pair, an infinite number, or data nested a thousand levels deep.
None of that can be written to a journal, a document or a commit, and trying to would end the engine
instead of the agent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podium.agents.protocol import Answer, Failure, Question, Usage

DEEPEST = 60
"""Levels of nesting; no workflow asks for more than five."""
LONGEST_WAIT_S = 366 * 86400.0


def heard(answer: Answer) -> Answer:
    """The same answer with its texts made encodable; a verdict that cannot be recorded counts as
    garbage.
    """
    verdict, failure = answer.verdict, answer.failure and _failure(answer.failure)
    if verdict is not None:
        try:
            verdict = _spelled(verdict, DEEPEST)
        except ValueError as fault:
            verdict, failure = None, failure or Failure("garbage", f"the verdict {fault}")
    question = answer.question and _question(answer.question)
    return replace(
        answer,
        text=plain(answer.text),
        verdict=verdict,
        failure=failure,
        question=question,
        usage=_usage(answer.usage),
    )


def activity(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an agent was seen doing, for people; parts that cannot be recorded are replaced by a
    remark.
    """
    try:
        spelled: Mapping[str, Any] = _spelled(fields, DEEPEST)
    except ValueError as fault:
        return {
            name: plain(each) if isinstance(each, str) else f"(not shown: it {fault})"
            for name, each in fields.items()
        }
    return spelled


def plain(text: str) -> str:
    """Half a surrogate pair becomes an escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def _spelled(value: Any, levels: int) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("holds a number that is none")
    if isinstance(value, Mapping | list | tuple) and not levels:
        raise ValueError(f"is nested more than {DEEPEST} levels deep")
    if isinstance(value, Mapping):
        return {
            plain(name) if isinstance(name, str) else name: _spelled(each, levels - 1)
            for name, each in value.items()
        }
    return (
        [_spelled(each, levels - 1) for each in value] if isinstance(value, list | tuple) else value
    )


def _failure(said: Failure) -> Failure:
    wait = said.retry_after
    if wait is not None:
        # A date beyond the calendar would end the engine.
        wait = min(max(wait, 0.0), LONGEST_WAIT_S) if not math.isnan(wait) else None
    return replace(
        said, detail=plain(said.detail), retry_after=wait, choices=tuple(map(plain, said.choices))
    )


def _question(said: Question) -> Question:
    choices = tuple((plain(ident), plain(text)) for ident, text in said.choices)
    return Question(plain(said.prompt), choices, plain(said.recommended))


def _usage(said: Usage) -> Usage:
    """Negative and infinite usage counts as unknown: it would pay for what the budget forbids."""
    cost = said.cost_usd
    given, made = (
        each if each is None or each >= 0 else None for each in (said.tokens_in, said.tokens_out)
    )
    return Usage(given, made, cost if cost is None or (cost >= 0 and math.isfinite(cost)) else None)
