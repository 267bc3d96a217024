"""How one start of an agent turned out, from what was heard and how the program ended. Decides;
does nothing.
"""

from __future__ import annotations

from podium.agents.activity import Ending
from podium.agents.headless.heard import Heard
from podium.agents.last_words import last_words
from podium.agents.protocol import Failure, Finished

ALLOW = "allow"
AGAIN = "again"


def failure_of(
    heard: Heard,
    finished: Finished,
    limit_s: float,
    silence_s: float | None,
    *,
    own_end: bool,
    noise: str,
    spent: int | None = None,
) -> Failure | None:
    """The failure; None if the agent came to its end. Whether it did its work is judged elsewhere.

    `own_end`: whether its stream has an end of its own. The exit code counts only if nothing better
    does. `spent`: the exit code that means it reached its limit of turns, if its stream does not
    say so.
    """
    if finished.not_started:
        return Failure("not_dispatchable", f"cannot be started: {finished.not_started}")
    if heard.failure is not None:
        return heard.failure
    if heard.over:
        return None
    if finished.silent:
        return Failure(
            "timeout",
            (
                f"silence: no output for {silence_s or 0:g} s; it was stopped with every process "
                "it had started"
            ),
        )
    if finished.timed_out:
        return Failure(
            "timeout",
            f"no answer in {limit_s:g} s; it was stopped with every process it had started",
        )
    if finished.exit_code == spent:
        return Failure("timeout", "it reached its turn limit before it was done")
    if finished.exit_code == 0 and not own_end:
        return None
    if not heard.messages and noise:
        return Failure("garbage", f"its output is not the expected stream: {noise}")
    ended = f"exit code {finished.exit_code}" + (
        " before its stream came to an end" if own_end else ""
    )
    return Failure("crash", ended + last_words(finished.errors, noise.encode()))


def ending_of(failure: Failure | None, finished: Finished, *, limited: bool = False) -> Ending:
    """The same as one word for the transcript."""
    if failure is None:
        return "end_turn"
    match failure.kind:
        case "timeout":
            return (
                "silence"
                if finished.silent
                else "limit"
                if limited or not finished.timed_out
                else "timeout"
            )
        case "rate_limit":
            return "rate_limit"
        case "parked":
            return "parked"
        case "not_dispatchable":
            return "auth" if not finished.not_started else "crash"
        case _:
            return "crash"


def better(failure: Failure | None, trouble: Failure | None) -> Failure | None:
    """The provider's answer explains why an agent broke off, unless the agent itself knows
    better.
    """
    if failure is None or trouble is None or failure.kind in {"parked", "garbage"}:
        return failure
    known = failure.kind == "rate_limit" and failure.retry_after is not None
    return failure if known else trouble


def parked(refused: list[str]) -> Failure:
    """The failure of an agent that achieved nothing because nobody allowed what it wanted to do."""
    shown = (
        "; ".join(dict.fromkeys(each.splitlines()[0][:200] for each in refused[:5] if each.strip()))
        or "a tool"
    )
    words = (
        f"it may not run this by itself and stopped: {shown}. `{ALLOW}` lets it run commands this "
        f"time; `{AGAIN}` starts it as before."
    )
    return Failure("parked", words, choices=(ALLOW, AGAIN))
