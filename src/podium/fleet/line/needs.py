"""What a run asks of a worker, and what a worker has: labels, known programs, sandboxes, cores.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podium.agents.confine.levels import NAMES
from podium.core.errors import Fault, InputError
from podium.fleet.line.wants import NONE, Limits, Wants

KINDS = ("agent", "sandbox", "cores")
MOST = 1_000_000


@dataclass(frozen=True)
class Offer:
    """What one worker has, and the rules it follows."""

    worker: str
    places: int = 1
    labels: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Known agent programs that it has, or was told it has."""
    sandboxes: tuple[str, ...] = ()
    cores: int = 1
    at_once: Mapping[str, int] = field(default_factory=dict)
    """The most runs with an agent on this worker, by the agent's name."""
    limits: Limits = field(default_factory=dict)
    """The fleet's limits, according to this worker's settings."""
    usual: Wants = NONE
    """Who plays the roles for which nobody was named."""
    stay_s: float = 0.0
    """How long it leaves a run to the worker that had it last."""
    sore: tuple[str, ...] = ()
    """Runs whose driver recently failed there."""


def lacking(wants: Wants, needs: Iterable[str], offer: Offer) -> tuple[str, ...]:
    """What the worker does not have, in words; empty if it may drive the run."""
    programs = [
        f"agent {each}"
        for each in wants.settled(offer.usual).programs
        if each not in offer.programs
    ]
    return (*programs, *(_said(each) for each in needs if not _met(each, offer)))


def plain(needs: Iterable[str]) -> list[str]:
    """The labels among them, which name the queues."""
    return sorted({each for each in needs if "=" not in each})


def checked(needs: Sequence[str]) -> list[str]:
    """The needs as given. Raises InputError with everything that no worker could ever meet."""
    faults = [fault for each in needs if (fault := _fault(each)) is not None]
    if faults:
        raise InputError(faults)
    return sorted(set(needs))


def at_once(words: Sequence[str]) -> tuple[int, dict[str, int]]:
    """`4` and `claude=1`: the worker's places, and the most runs per agent. InputError lists
    what is neither.
    """
    places, by_agent, faults = 1, {}, []
    for word in words:
        agent, equals, number = word.rpartition("=")
        most = _number(number)
        if most is None or most < 1 or bool(equals) != bool(agent):
            faults.append(
                Fault(
                    "--concurrency",
                    f"{word!r} is neither a number nor AGENT=NUMBER",
                    "for example 4, or claude=1",
                )
            )
        elif agent:
            by_agent[agent] = most
        else:
            places = most
    if faults:
        raise InputError(faults)
    return places, by_agent


def _met(need: str, offer: Offer) -> bool:
    kind, equals, value = need.partition("=")
    if not equals:
        return need in offer.labels
    match kind:
        case "agent":
            return value in offer.programs
        case "sandbox":
            return value in offer.sandboxes
        case "cores":
            return offer.cores >= (_number(value) or MOST)
    return False


def _said(need: str) -> str:
    kind, equals, value = need.partition("=")
    if not equals:
        return f"label {need}"
    return f"{value} cores" if kind == "cores" else f"{kind} {value}"


def _fault(need: str) -> Fault | None:
    kind, equals, value = need.partition("=")
    if not equals:
        return (
            None
            if need.strip() and "," not in need
            else Fault("--need", f"{need!r} is not a label")
        )
    if kind not in KINDS:
        return Fault(
            "--need",
            f"{need!r}: workers do not report {kind!r}",
            f"a label, or one of {', '.join(f'{each}=…' for each in KINDS)}",
        )
    if kind == "cores" and not _number(value):
        return Fault("--need", f"{need!r}: cores must be a number", "for example cores=4")
    if kind == "sandbox" and value not in NAMES:
        return Fault(
            "--need", f"{need!r}: {value!r} is not a sandbox", f"one of {', '.join(NAMES)}"
        )
    return None if value else Fault("--need", f"{need!r} names nothing")


def _number(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 7 else None
