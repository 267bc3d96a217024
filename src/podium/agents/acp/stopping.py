"""How a turn that ended badly is classified: the protocol's reasons and errors, translated into
failures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from podium.agents.activity import Ending
from podium.agents.last_words import last_words
from podium.agents.protocol import Failure, Finished

AUTH_REQUIRED = -32000
LIMITED = "it reached its limit before it was done"
SILENT = "it was silent for too long; it was stopped with every process it had started"


def of_reason(reason: str) -> Failure | None:
    """The failure that a stop reason means; None for a turn that ended normally."""
    match reason:
        case "end_turn":
            return None
        case "max_tokens":
            return Failure("garbage", "its answer was cut off at the model's token limit")
        case "max_turn_requests":
            return Failure("timeout", f"{LIMITED}: its own limit on requests to the model")
        case "refusal":
            return Failure("crash", "the model refused to continue")
        case "cancelled":
            return Failure("crash", "it cancelled its own turn")
    return Failure("garbage", f"it ended its turn for an unknown reason: {reason[:80]!r}")


def of_error(asked: str, code: int, message: str, data: Any) -> Failure:
    """The failure for an error that came in place of an answer."""
    words = f"{asked} was answered with an error ({code}): {message[:500]}{_detail(data)}"
    if code == AUTH_REQUIRED:
        return Failure("not_dispatchable", f"it needs a login first: {words}", barred=True)
    return Failure("crash", words)


def of_end(ended: Finished | None, owed: str, limit_s: float, noise: Sequence[str] = ()) -> Failure:
    """The failure of a program that went away before it had answered."""
    if ended is None:
        return Failure("crash", f"it went away before it answered {owed}")
    if ended.silent:
        return Failure("timeout", SILENT)
    if ended.timed_out:
        return Failure(
            "timeout",
            f"no answer in {limit_s:g} s; it was stopped with every process it had started",
        )
    said = last_words(ended.errors, "\n".join(noise).encode())
    return Failure("crash", f"exit code {ended.exit_code} before it answered {owed}{said}")


def _detail(data: Any) -> str:
    if data in (None, {}, []):
        return ""
    try:
        return f" {json.dumps(data, ensure_ascii=False)[:1000]}"
    except (TypeError, ValueError):
        return ""


def ending_of(failure: Failure | None) -> Ending:
    """The transcript's word for how a dispatch ended."""
    if failure is None:
        return "end_turn"
    match failure.kind:
        case "timeout":
            return (
                "silence"
                if failure.detail == SILENT
                else "limit"
                if failure.detail.startswith(LIMITED)
                else "timeout"
            )
        case "parked" | "rate_limit":
            return failure.kind
        case "not_dispatchable":
            return "auth" if failure.barred else "crash"
        case "violation":
            return "cancelled"
    return "crash"
