"""A decision that waits for a person, and the exact commands that make it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.core import keys
from podium.core.history import takes_words
from podium.proof.delivery import Delivery, delivery_of

APPROVALS = frozenset({"approved", "approve"})
REJECTIONS = frozenset({"rejected", "reject"})


@dataclass(frozen=True)
class Gate:
    key: str
    kind: str
    prompt: str
    choices: tuple[str, ...] = ()
    subject: Mapping[str, str] = field(default_factory=dict)
    opened: str = ""
    again: bool = False
    """It was approved before, but what was approved has changed."""
    step: str = ""
    """The step it belongs to. A run that leaves the step another way leaves the gate too."""
    words: bool = False
    """Whether an answer in a person's own words is accepted besides the choices."""
    delivery: Delivery = field(default_factory=Delivery)
    """What is proven, and the code that it is about."""

    @property
    def about_tests(self) -> bool:
        """Whether the question is how a step changed tests; it shows the differences."""
        return _asks(self.key, "weakened-")

    @property
    def place(self) -> str:
        """The step that a person is asked about; its own name if it is a step of its own."""
        if self.key == "preflight":
            return "before the run begins"
        return self.key.rpartition("/")[0] if within(self.key) else self.key


_WITHIN = ("question-", "parked-", "drift-", "weakened-", "proof-")


def within(key: str) -> bool:
    """Whether a step that is not over opened this gate."""
    return _asks(key, *_WITHIN)


def _asks(key: str, *kinds: str) -> bool:
    return key.rpartition("/")[2].startswith(kinds)


def gate_from(fields: Mapping[str, Any], opened: str = "") -> Gate:
    """A gate from a `gate.opened` event or from a summary's open gate."""
    subject = fields.get("subject")
    return Gate(
        key=str(fields.get("key", "")),
        kind=str(fields.get("kind", "approval")),
        prompt=str(fields.get("prompt", "")),
        choices=tuple(choice_id(each) for each in fields.get("choices") or ()),
        subject=dict(subject) if isinstance(subject, Mapping) else {},
        opened=opened,
        again=bool(fields.get("stale", False)),
        step=str(fields.get("step", "")),
        words=takes_words(fields),
        delivery=delivery_of(fields),
    )


def choice_id(choice: object) -> str:
    if isinstance(choice, Mapping):
        return str(choice.get("id", ""))
    if isinstance(choice, Sequence) and not isinstance(choice, str):
        return str(choice[0]) if choice else ""
    return str(choice)


def commands(gate: Gate, run: str, *, only: bool, go: bool = False) -> list[str]:
    """What a person can type. The gate is named if it is not the only open one."""
    target = shlex.quote(run) + ("" if only else f" --gate {shlex.quote(gate.key)}")
    return [f"{each} --go" if go else each for each in _verbs(gate, target)]


def _verbs(gate: Gate, target: str) -> list[str]:
    if gate.kind in {"question", "drift"}:
        picks = [f"podium answer {target} --choice {shlex.quote(each)}" for each in gate.choices]
        return picks or [f"podium answer {target} --text '…'"]
    if gate.choices and gate.choices[0] not in APPROVALS:
        return [f"podium answer {target} --choice {shlex.quote(each)}" for each in gate.choices]
    others = [each for each in gate.choices[1:] if each not in REJECTIONS]
    return [
        f"podium approve {target}",
        f"podium reject {target} --note '…'",
        *(
            f"podium reject {target} --to {shlex.quote(keys.base_of(each))} --note '…'"
            for each in others
        ),
    ]
