"""What a run's own state says about its progress, under the names that workflows use.

`left`: items not started yet. `items`: all of them, if known. `queue` and `at`: waves of tasks, and
which is next.
`retries` and `max_retries`: attempts at an item after the first. `title`: what a child run is
about. `result` and
`why`: how a child run ended, if not as wanted. `warnings`: what people should know although nothing
stopped. Any of it may be missing or, in a journal of another version, mean something else; then
nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

State = Mapping[str, Any]
_INNER = frozenset(
    {
        "noted",
        "researched",
        "fit",
        "consented",
        "sound",
        "reviewing",
        "rehearsed",
        "final_asked",
        "bounded",
    }
)
"""Flags that only say which way a run takes next."""


def number(state: State, name: str) -> int | None:
    """A counter; None if it is missing or not a valid number."""
    value = state.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def texts(state: State, name: str) -> list[str]:
    value = state.get(name)
    return [str(each) for each in value] if isinstance(value, list | tuple) else []


def attempts(state: State) -> tuple[int, int]:
    """(number of this attempt, most attempts); zeros if the run does not count them."""
    retries, most = number(state, "retries"), number(state, "max_retries")
    return (0, 0) if retries is None or most is None else (retries + 1, most + 1)


def shortfall(state: object) -> str:
    """Why a child run that has ended is not what was wanted; "" if it is, or does not say."""
    result = state.get("result") if isinstance(state, Mapping) else ""
    if not isinstance(state, Mapping) or not isinstance(result, str) or result in {"", "complete"}:
        return ""
    return f"{result}: {state.get('why')}" if state.get("why") else result


def waves(state: State) -> dict[str, list[str]]:
    """The tasks of each wave, in order; parts of one wave are joined."""
    found: dict[str, list[str]] = {}
    for part in _queue(state):
        found.setdefault(str(part.get("wave", "")), []).extend(texts(part, "tasks"))
    return found


def coming(state: State) -> dict[str, list[str]]:
    """The waves, and the parts of the current wave, that come after the current part."""
    return waves({"queue": _queue(state)[(number(state, "at") or 0) + 1 :]})


def parts_left(state: State) -> int:
    """Parts of waves that come after the current one."""
    return max(0, len(_queue(state)) - (number(state, "at") or 0) - 1)


def wave_now(state: State) -> str:
    """The wave whose part is next or in progress; "" if there is none."""
    queue, at = _queue(state), number(state, "at") or 0
    return str(queue[at].get("wave", "")) if at < len(queue) else ""


def _queue(state: State) -> Sequence[State]:
    value = state.get("queue")
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def item_title(state: State, key: str) -> str:
    """What the parent says about the child run it starts next; "" if it means another one."""
    item = state.get("item")
    if not isinstance(item, Mapping) or str(item.get("id", "")) != key:
        return ""
    return str(item.get("title", ""))


def said(state: State) -> list[str]:
    """The counters worth a line: nonzero numbers and flags. Items, waves and groups have their
    own lines.
    """
    own = {"left", "items", "at", "taken", *_INNER}
    found: list[str] = []
    if isinstance(state.get("order"), list) and isinstance(state.get("tasks"), Mapping):
        return found  # a run with groups has a table and a progress line
    for name, value in state.items():
        if name in own or not isinstance(value, int):
            continue
        if value:
            found.append(name.replace("_", " ") + ("" if value is True else f" {value}"))
    return found
