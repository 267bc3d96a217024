"""A YAML or JSON text as a tree that knows where each value stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from podium.core.errors import Fault, InputError
from podium.documents.issues import Path


class TreeError(ValueError):
    """A text that is no such tree: every fault with its line."""

    def __init__(self, faults: list[tuple[int, str, str]]) -> None:
        super().__init__("; ".join(f"line {line}: {what}" for line, what, _ in faults))
        self.faults = faults
        """Line (from 1), what is wrong, and the way out."""

    def at(self, where: str) -> InputError:
        """The same about a file that people know by name."""
        return InputError(Fault(f"{where}:{line}", what, way) for line, what, way in self.faults)


@contextmanager
def named(where: str) -> Iterator[None]:
    """Failures to read a tree, as failures to read this file."""
    try:
        yield
    except TreeError as fault:
        raise fault.at(where) from None


@dataclass
class Node:
    """One value with its place."""

    kind: Literal["value", "list", "table"]
    line: int
    """From 1."""
    start: int
    end: int
    """The span of its text; empty if a name has no value."""
    begin: int = 0
    """Where its name begins, or its value if it has no name."""
    flow: bool = False
    """Whether it is in brackets."""
    style: str = ""
    """The quote of a text, or `|` or `>`."""
    value: Any = None
    items: list[Node] = field(default_factory=list)
    pairs: dict[str, Node] = field(default_factory=dict)
    quoted: bool = False
    """Whether its names are in quotes."""

    @property
    def data(self) -> Any:
        return self.value if self.kind == "value" else self._parts

    @cached_property
    def _parts(self) -> Any:
        if self.kind == "list":
            return [node.data for node in self.items]
        return {name: node.data for name, node in self.pairs.items()}

    def below(self) -> Iterator[Node]:
        """The nodes directly in it, in order."""
        yield from self.items
        yield from self.pairs.values()

    def at(self, *path: str | int) -> Node | None:
        """The node at that path; None if there is none."""
        node: Node | None = self
        for step in path:
            if node is not None:
                node = node.step(step)
        return node

    def step(self, step: str | int) -> Node | None:
        if self.kind == "table":
            return self.pairs.get(str(step))
        if isinstance(step, int):
            return self.items[step] if self.kind == "list" and step < len(self.items) else None
        return None

    def line_of(self, path: Path) -> int:
        """The line of the value at a path, or of the innermost one on the way to it."""
        node = self
        for step in path:
            below = node.step(step)
            if below is None:
                break
            node = below
        return node.line
