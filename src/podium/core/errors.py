"""Everything that can go wrong, by who has to act next.

PodiumError
├── InputError      a person: a file, an option or a setting is not what it must be   exit 2
├── UsageError      a person: the command does not fit the situation                   exit 2
├── Halted          a person: a rule stopped the run                                   exit 20
├── ChainBroken     a person: the journal was changed                                  exit 20
├── Busy            nobody: another process drives this run                            exit 40
└── Fenced          nobody: a newer owner opened this run                              exit 40

Blocked is not a fault: a route raises it to stop at its step. A verdict that says
"issues found" is a value and never an exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What faulty code of a workflow raises when it is tried out: its routes, contracts and
decisions.
"""


class PodiumError(Exception):
    """Something stopped the command; the message says what and the way out."""

    exit_code = 1


@dataclass(frozen=True)
class Fault:
    """One thing wrong with one file."""

    where: str
    """File, with `:line` where a line is known."""
    what: str
    """The fact, with the field's name and the value found."""
    mend: str = ""
    """What to write instead."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f" ({self.mend})" if self.mend else "")


class InputError(PodiumError):
    """A file, an option or a setting is not what it must be; nothing was written."""

    exit_code = 2

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class UsageError(PodiumError):
    """The command does not fit the situation; nothing was written."""

    exit_code = 2


class Halted(PodiumError):
    """A rule stopped the run before anything was dispatched."""

    exit_code = 20


class ChainBroken(PodiumError):
    """The journal was changed after it was written."""

    exit_code = 20

    def __init__(self, path: str, line: int, what: str) -> None:
        self.path, self.line, self.what = path, line, what
        super().__init__(
            f"{path}:{line}: {what}. The journal is append-only; nothing was written. "
            "Restore the file from a backup, or move the run's folder away and start a new run."
        )


class Busy(PodiumError):
    """Another live process drives this run."""

    exit_code = 40


class Fenced(PodiumError):
    """A newer owner opened this run; this process stops without touching anything."""

    exit_code = 40


class Blocked(Exception):
    """Stop at the current step; the message becomes the stop reason."""

    def __init__(self, reason: str, stop: str = "rule") -> None:
        super().__init__(reason)
        self.stop = stop
