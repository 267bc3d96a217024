"""Was it broken before? Compares a command's failure with its failure on the earlier code. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FAILURE = re.compile(
    r"\b(FAILED|FAIL|ERROR|Error|error|panicked|not ok|AssertionError|Traceback|✗|✕|❌)\b|[✗✕❌]"
)
_SUMMARY = re.compile(
    (
        r"^[=\-_ ]*(\d+ (failed|passed|errors?|warnings?|tests?|total|skipped)\b|tests?:|ran "
        r"\d+|short test summary)"
    ),
    re.IGNORECASE,
)
_VOLATILE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"\b\d+(\.\d+)?\s*(ms|s|sec|secs|seconds|m)\b"), "T"),
    (re.compile(r":\d+(:\d+)?\b"), ":N"),
    (re.compile(r"\bline \d+\b"), "line N"),
    (re.compile(r"(/[\w.@+-]+)+/"), "/"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True)
class Ran:
    """One command as the engine ran it."""

    name: str
    command: str
    exit_code: int
    output: str
    seconds: float = 0.0


def failures(output: str) -> frozenset[str]:
    """The lines that report a failure, without the parts that change from run to run."""
    found = set()
    for line in output.splitlines():
        text = line.strip()
        if not _FAILURE.search(text) or _SUMMARY.search(text):
            continue
        for pattern, instead in _VOLATILE:
            text = pattern.sub(instead, text)
        found.add(text.strip())
    return frozenset(found)


def new_failures(now: Ran, before: Ran | None) -> tuple[str, ...]:
    """What this run broke: nothing if the command passes, everything if it passed before."""
    if now.exit_code == 0:
        return ()
    said = failures(now.output)
    if before is None or before.exit_code == 0:
        return tuple(sorted(said)) or (f"exit code {now.exit_code}",)
    fresh = said - failures(before.output)
    if fresh:
        return tuple(sorted(fresh))
    # The same complaints as before, or none that we recognise: then the exit code must be the same
    # too.
    return (
        ()
        if now.exit_code == before.exit_code
        else (f"exit code {now.exit_code}, was {before.exit_code}",)
    )


def evidence(now: Ran, before: Ran | None) -> Mapping[str, object]:
    """The journal's record of one command."""
    fresh = new_failures(now, before)
    return {
        "name": now.name,
        "command": now.command,
        "exit": now.exit_code,
        "seconds": round(now.seconds, 3),
        "baseline_exit": None if before is None else before.exit_code,
        "new_failures": list(fresh[:20]),
        "passed": now.exit_code == 0 or not fresh,
    }
