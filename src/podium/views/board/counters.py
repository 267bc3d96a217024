"""What a run's own state says about how far it is, under the names that workflows use for it.

`left`: items that are not begun. `items`: all of them, where that is known. `queue` and `at`: waves of tasks and the one that is next.
`retries` and `max_retries`: tries at an item beyond the first. `title`: what a child run is about.
`result` and `why`: what a child run that has ended came to, where that is not what was wanted.
`warnings`: what people should know though nothing stopped. All of it may be missing or, in a
journal of another version, something else; then nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

State = Mapping[str, Any]
_INNER = frozenset({"noted", "researched", "fit", "consented", "sound", "reviewing", "rehearsed", "final_asked", "bounded"})
"""Flags that only say which way a run takes next."""


def number(state: State, name: str) -> int | None:
    """A counter; None where there is none, or none that counts."""
    value = state.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def texts(state: State, name: str) -> list[str]:
    value = state.get(name)
    return [str(each) for each in value] if isinstance(value, list | tuple) else []


def attempts(state: State) -> tuple[int, int]:
    """(which try this is, how many there can be); zeros where the run counts none."""
    retries, most = number(state, "retries"), number(state, "max_retries")
    return (0, 0) if retries is None or most is None else (retries + 1, most + 1)


def shortfall(state: object) -> str:
    """Why a child run that has ended is not what was wanted; "" where it is, or says nothing."""
    result = state.get("result") if isinstance(state, Mapping) else ""
    if not isinstance(state, Mapping) or not isinstance(result, str) or result in {"", "complete"}:
        return ""
    return f"{result}: {state.get('why')}" if state.get("why") else result


def waves(state: State) -> dict[str, list[str]]:
    """Wave to its tasks, in order; parts of one wave are put together."""
    found: dict[str, list[str]] = {}
    for part in _queue(state):
        found.setdefault(str(part.get("wave", "")), []).extend(texts(part, "tasks"))
    return found


def coming(state: State) -> dict[str, list[str]]:
    """The waves, and the parts of the one under way, that are still to be begun after the present part."""
    return waves({"queue": _queue(state)[(number(state, "at") or 0) + 1 :]})


def parts_left(state: State) -> int:
    """Parts of waves still to come after the present one."""
    return max(0, len(_queue(state)) - (number(state, "at") or 0) - 1)


def wave_now(state: State) -> str:
    """The wave whose part is next or in progress; "" where there is none."""
    queue, at = _queue(state), number(state, "at") or 0
    return str(queue[at].get("wave", "")) if at < len(queue) else ""


def _queue(state: State) -> Sequence[State]:
    value = state.get("queue")
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def item_title(state: State, key: str) -> str:
    """What the parent says about the child run it starts next; "" where it speaks of another."""
    item = state.get("item")
    if not isinstance(item, Mapping) or str(item.get("id", "")) != key:
        return ""
    return str(item.get("title", ""))


def said(state: State) -> list[str]:
    """The counters worth a line: numbers that are not zero, flags that are on. Items, waves and groups have lines of their own."""
    own = {"left", "items", "at", "taken", *_INNER}
    found: list[str] = []
    if isinstance(state.get("order"), list) and isinstance(state.get("tasks"), Mapping):
        return found  # a run with groups has a table and a line of progress
    for name, value in state.items():
        if name in own or not isinstance(value, int):
            continue
        if value:
            found.append(name.replace("_", " ") + ("" if value is True else f" {value}"))
    return found
