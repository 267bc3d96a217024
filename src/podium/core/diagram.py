"""A workflow as a drawing: which steps there are, and which outcomes lead from one to the next.

The edges come from exploring, not from signatures, so a drawing shows what can really happen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.core.effects import Check, Cluster, Effect, FanOut, Gate, Stage
from podium.core.explore import Exploration, explore
from podium.core.run import DONE
from podium.core.workflow import Step, Workflow

Kind = Literal["stage", "cluster", "gate", "check", "fanout", "done"]

_CLASSES: tuple[tuple[Kind, str], ...] = (
    ("stage", "fill:#e8f0fe,stroke:#3b6fd4,color:#12305f"),
    ("cluster", "fill:#d9e6fd,stroke:#3b6fd4,stroke-width:3px,color:#12305f"),
    ("fanout", "fill:#ddf3ef,stroke:#138a72,stroke-width:3px,color:#0b4438"),
    ("gate", "fill:#fdf0d5,stroke:#b7791f,stroke-width:2px,color:#5f3b06"),
    ("check", "fill:#f1f3f5,stroke:#6b7785,stroke-dasharray:4 3,color:#2b323a"),
)
_RESERVED = frozenset(
    {"as", "class", "classdef", "default", "direction", "end", "note", "state", "style"}
)
"""Words that Mermaid treats as keywords even where a state's name is expected."""


@dataclass(frozen=True)
class Node:
    name: str
    kind: Kind
    detail: str = ""
    """Who works, what is asked, or what is checked."""
    inner: Graph | None = None
    """The workflow of its child runs."""


@dataclass(frozen=True)
class Edge:
    source: str
    target: str
    outcomes: tuple[str, ...]
    """The outcomes that lead this way, in the order the step declares them."""
    back: bool = False
    """Whether it leads to the step itself or to one listed before it."""
    bound: int | None = None
    """How often one run can take it if people send nothing back; None if unknown or unbounded."""

    @property
    def label(self) -> str:
        said = ", ".join(self.outcomes)
        return said if self.bound is None else f"{said} (max {self.bound})"


@dataclass(frozen=True)
class Graph:
    name: str
    start: str
    nodes: tuple[Node, ...]
    """In the workflow's order, the start first, the end last."""
    edges: tuple[Edge, ...]
    starts: tuple[str, ...] = ()
    """Other steps at which a run can begin."""


def graph(workflow: Workflow, explored: Exploration | None = None) -> Graph:
    """The workflow as runs can walk it; a step that nothing leads to stands alone."""
    found = explored or explore(workflow)
    told = [workflow.start, *(name for name in workflow.steps if name != workflow.start)]
    order = {name: place for place, name in enumerate((*told, DONE))}
    pairs = sorted(found.edges, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return Graph(
        name=workflow.name or type(workflow).__name__,
        start=workflow.start,
        nodes=(*_nodes([workflow.steps[name] for name in told]), Node(DONE, "done")),
        edges=tuple(_edge(found, pair, back=order[pair[1]] <= order[pair[0]]) for pair in pairs),
        starts=tuple(
            sorted(
                {run.step for run in workflow.variants()} - {workflow.start}, key=order.__getitem__
            )
        ),
    )


def _nodes(steps: Sequence[Step]) -> Iterator[Node]:
    """The workflow of child runs is drawn inside the first step that starts some."""
    seen: set[str] = set()
    for step in steps:
        below = step.effect.workflow() if isinstance(step.effect, FanOut) else None
        inner = graph(below) if below is not None and below.name not in seen else None
        if below is not None:
            seen.add(below.name)
        yield Node(step.name, kind_of(step.effect), detail_of(step), inner)


def kind_of(effect: Effect) -> Kind:
    match effect:
        case Stage():
            return "stage"
        case Cluster():
            return "cluster"
        case Gate():
            return "gate"
        case Check():
            return "check"
        case FanOut():
            return "fanout"


def detail_of(step: Step) -> str:
    """Who works, what is asked, or what is checked."""
    match step.effect:
        case Stage(role=role):
            return role
        case Gate(question=question):
            return question
        case Check(what=what):
            return what
        case Cluster(limit=limit):
            phase = "" if step.phase.lower() == step.name else f"{step.phase.lower()}, "
            return f"{phase if step.phase else ''}up to {limit} at once"
        case FanOut(limit=limit):
            return f"up to {limit} at once" if limit > 1 else "one after the other"


def _edge(found: Exploration, pair: tuple[str, str], *, back: bool) -> Edge:
    source, target = pair
    declared = found.workflow.steps[source].outcomes
    outcomes = tuple(sorted(found.edges[pair], key=lambda each: (declared.index(each), each)))
    uses = found.most_uses(source, target) if back else 0
    # No counted use means that only people send a run back this way, as often as they like.
    bound = int(uses) if 0 < uses < math.inf else None
    return Edge(source, target, outcomes, back, bound)


def mermaid(workflow: Workflow, explored: Exploration | None = None) -> str:
    """The drawing as Mermaid text, for pages that render it."""
    return "\n".join(_mermaid(graph(workflow, explored))) + "\n"


def _mermaid(drawn: Graph) -> Iterator[str]:
    ids = _ids(drawn)
    yield "stateDiagram-v2"
    yield from _states(drawn, ids, "  ")
    for kind, style in _CLASSES:
        # Mermaid cannot give a class to a state that contains others, nor to those inside.
        if members := [
            ids[node.name] for node in drawn.nodes if node.kind == kind and node.inner is None
        ]:
            yield f"  classDef {kind} {style}"
            yield f"  class {','.join(members)} {kind}"


def _states(drawn: Graph, ids: dict[str, str], indent: str) -> Iterator[str]:
    """The states and edges of one graph; the graph of child runs is inside the state that starts
    them.
    """
    for node in drawn.nodes:
        if node.kind == "done":
            continue
        if ids[node.name] != node.name:
            yield f'{indent}state "{quoted(node.name)}" as {ids[node.name]}'
        if node.inner is not None:
            yield f"{indent}state {ids[node.name]} {{"
            yield from _states(node.inner, _ids(node.inner, f"{ids[node.name]}_"), f"{indent}  ")
            yield f"{indent}}}"
    for start in (drawn.start, *drawn.starts):
        yield f"{indent}[*] --> {ids[start]}"
    for edge in drawn.edges:
        yield f"{indent}{ids[edge.source]} --> {ids[edge.target]}: {quoted(edge.label)}"


def _ids(drawn: Graph, prefix: str = "") -> dict[str, str]:
    return {DONE: "[*]", **ids_of([node.name for node in drawn.nodes if node.name != DONE], prefix)}


def ids_of(names: Iterable[str], prefix: str = "") -> dict[str, str]:
    """A distinct name that Mermaid can read, for every node."""
    ids: dict[str, str] = {}
    for name in names:
        plain = prefix + re.sub(r"\W", "_", name, flags=re.ASCII)
        if plain.lower() in _RESERVED or not plain[:1].isalpha():
            plain = f"s_{plain}"
        while plain in ids.values():
            plain += "_"
        ids.setdefault(name, plain)
    return ids


def quoted(text: str) -> str:
    """The text with characters that would end a label escaped as Mermaid wants it."""
    return re.sub(r'["#;:\n]', lambda found: f"#{ord(found[0])};", text)
