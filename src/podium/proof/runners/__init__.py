"""Everything that knows the output of a test runner."""

from __future__ import annotations

from collections.abc import Callable

from podium.proof.grammar import reader
from podium.proof.runners.automake import AutomakeReader
from podium.proof.runners.cargo import CargoReader
from podium.proof.runners.go import GoReader
from podium.proof.runners.grammars import GRAMMARS
from podium.proof.runners.mocha import MochaReader
from podium.proof.runners.node import NodeReader
from podium.proof.runners.prove import ProveReader
from podium.proof.runners.pytest import PytestReader
from podium.proof.runners.tap import TapReader
from podium.proof.runners.unittest import UnittestReader
from podium.proof.session import Reader

READERS: tuple[Callable[[], Reader], ...] = (
    PytestReader,
    UnittestReader,
    MochaReader,
    NodeReader,
    TapReader,
    GoReader,
    CargoReader,
    ProveReader,
    AutomakeReader,
    *(reader(grammar) for grammar in GRAMMARS),
)
