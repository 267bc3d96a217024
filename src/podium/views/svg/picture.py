"""A workflow as a picture: one self-contained SVG, drawn without any library.

The steps are below each other, in the workflow's order. The way to the next step is a straight
line. Lines that skip forward run down the right side and lines that go back run up the left side;
each target has its own lane that its sources join. A label is where its line leaves the box, in a
margin that no lane enters, so no line ever crosses a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Literal

from podium.core.diagram import Edge, Graph, Kind, Node

Side = Literal["left", "right"]

BOX, GAP, PORT, LANE, MARGIN, ROUND, NOSE = 56, 46, 22, 20, 24, 9, 16
"""Height of a box, space between boxes, space for a side line, space between lanes, outer
margin, corner, gate's tip.
"""
JOINING = 3
"""Points of a line that ends in another line: out, to the lane, into it."""
TOP = 74
"""Where the first box begins; title and entry are above it."""
NARROW, WIDE = 190, 350
"""The smallest and the greatest width of a box."""
BOLD, PLAIN, SMALL = 7.9, 6.2, 6.3
"""The usual greatest width of a letter in names, details and labels; without a renderer it
cannot be measured.
"""

_CAPTION: dict[Kind, str] = {
    "stage": "agent",
    "cluster": "agents",
    "gate": "person",
    "check": "check",
    "fanout": "child runs",
    "done": "",
}

_LIGHT = {
    "stage": ("#eaf1fe", "#3b6fd4"),
    "cluster": ("#eaf1fe", "#3b6fd4"),
    "fanout": ("#e0f5f0", "#138a72"),
    "gate": ("#fdf1da", "#b7791f"),
    "check": ("#f1f3f6", "#7a8594"),
    "done": ("#e3f4e4", "#2f8f46"),
}
_DARK = {
    "stage": ("#182842", "#6f9ff2"),
    "cluster": ("#182842", "#6f9ff2"),
    "fanout": ("#12322c", "#3fbfa2"),
    "gate": ("#362a12", "#e0a63c"),
    "check": ("#23282f", "#8d98a7"),
    "done": ("#163020", "#57c173"),
}


@dataclass(frozen=True)
class _Side:
    """The lines along one side: each target's lane, and the width of the margin for labels."""

    edges: tuple[Edge, ...]
    lanes: dict[str, int]
    margin: float
    short: frozenset[Edge]
    """Lines that join their lane where a longer one already runs, so that dashes never overlap."""

    @property
    def width(self) -> float:
        return self.margin + LANE * (max(self.lanes.values(), default=-1) + 1) if self.edges else 0


@dataclass(frozen=True)
class _Layout:
    """Where everything is; drawing only reads it."""

    drawn: Graph
    left: _Side
    right: _Side
    box: float
    tops: dict[str, float]
    heights: dict[str, float]
    ports: dict[tuple[Side, str, str, str], float]
    """(side, node, `out` or `in`, other node) to the height of the line there."""
    gates: frozenset[str]
    x: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.box / 2


def svg(drawn: Graph, current: str | None = None) -> str:
    """The picture; `current` is the step a run stands at."""
    plan = _layout(drawn)
    ids = "podium-" + re.sub(r"\W+", "-", drawn.name)
    size = (
        f'viewBox="0 0 {_n(plan.width)} {_n(plan.height)}" width="{_n(plan.width)}" '
        f'height="{_n(plan.height)}"'
    )
    named = f'aria-labelledby="{ids}-title {ids}-desc"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="podium-graph" {size} role="img" {named}>',
        f'<title id="{ids}-title">{escape(drawn.name)}: workflow</title>',
        f'<desc id="{ids}-desc">{escape(_described(drawn, current))}</desc>',
        f"<style>{_style()}</style>",
        f"<defs>{_arrow(ids, 'ahead')}{_arrow(ids, 'back')}</defs>",
        f'<rect class="ground" width="{_n(plan.width)}" height="{_n(plan.height)}" rx="12"/>',
        f'<text class="head" x="{_n(plan.middle)}" y="32">{escape(drawn.name)}</text>',
        *_lines(plan, ids),
        *(_box(plan, node, node.name == current) for node in drawn.nodes),
        *_labels(plan),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _layout(drawn: Graph) -> _Layout:
    order = {node.name: place for place, node in enumerate(drawn.nodes)}
    left = _side(order, [each for each in drawn.edges if each.back])
    right = _side(
        order, [each for each in drawn.edges if order[each.target] > order[each.source] + 1]
    )
    box = min(WIDE, max([NARROW, *(_needed(node) for node in drawn.nodes)]))
    heights: dict[str, float] = {}
    tops: dict[str, float] = {}
    ports: dict[tuple[Side, str, str, str], float] = {}
    top = float(TOP)
    for node in drawn.nodes:
        rows = {"left": _rows(order, left, node.name), "right": _rows(order, right, node.name)}
        height = max(BOX, *(PORT * len(each) + 14 for each in rows.values()))
        tops[node.name], heights[node.name] = top, height
        for side, each in rows.items():
            first = top + height / 2 - PORT * (len(each) - 1) / 2
            for place, (way, other) in enumerate(each):
                ports["left" if side == "left" else "right", node.name, way, other] = (
                    first + PORT * place
                )
        top += height + GAP
    gates = frozenset(node.name for node in drawn.nodes if node.kind == "gate")
    x = MARGIN + left.width
    straight = max((_wide(each.label) for each in drawn.edges), default=0) + 10
    width = x + max(box + right.width, box / 2 + straight) + MARGIN
    return _Layout(
        drawn, left, right, box, tops, heights, ports, gates, x, width, top - GAP + MARGIN
    )


def _side(order: dict[str, int], edges: Sequence[Edge]) -> _Side:
    """Give each target a lane: the shortest reach innermost, and no lane twice where two would
    touch.
    """
    reach = {
        target: _reach(order, [each for each in edges if each.target == target])
        for target in sorted({each.target for each in edges}, key=order.__getitem__)
    }
    lanes: dict[str, int] = {}
    for target in sorted(reach, key=lambda each: (reach[each][1] - reach[each][0], order[each])):
        taken = {lanes[other] for other in lanes if _touch(reach[target], reach[other])}
        lanes[target] = next(lane for lane in range(len(reach)) if lane not in taken)
    longest = {
        max(
            (each for each in edges if each.target == target), key=lambda each: _length(order, each)
        )
        for target in reach
    }
    margin = max((_wide(each.label) for each in edges), default=0) + 26
    return _Side(tuple(edges), lanes, margin, frozenset(edges) - longest)


def _length(order: dict[str, int], edge: Edge) -> int:
    return abs(order[edge.source] - order[edge.target])


def _reach(order: dict[str, int], edges: Sequence[Edge]) -> tuple[int, int]:
    places = [order[name] for each in edges for name in (each.source, each.target)]
    return min(places), max(places)


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _rows(order: dict[str, int], side: _Side, name: str) -> list[tuple[str, str]]:
    """The lines at one side of one box from top to bottom: incoming ones as one, then outgoing
    ones.

    Incoming is above outgoing, so that a line from a step to itself can go round.
    """
    incoming = [("in", "")] if any(each.target == name for each in side.edges) else []
    leaving = [each for each in side.edges if each.source == name]
    leaving.sort(key=lambda each: (side.lanes[each.target], -order[each.target]))
    return [*incoming, *(("out", each.target) for each in leaving)]


def _wide(label: str) -> float:
    return SMALL * len(_short(label))


def _needed(node: Node) -> float:
    return max(BOLD * len(_title(node)), PLAIN * len(_subtitle(node))) + 44


def _title(node: Node) -> str:
    return node.name.replace("_", " ")


def _subtitle(node: Node) -> str:
    caption = _CAPTION[node.kind]
    return f"{caption} · {node.detail}" if caption and node.detail else caption


def _short(label: str, most: int = 34) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip(" ,") + "…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _described(drawn: Graph, current: str | None) -> str:
    ways = "; ".join(f"{each.source} to {each.target} on {each.label}" for each in drawn.edges)
    here = f" The run stands at {current}." if current else ""
    return f"Starts at {drawn.start}. {ways}.{here}"


def _lines(plan: _Layout, ids: str) -> Iterator[str]:
    first = plan.tops[plan.drawn.start]
    yield f'<circle class="entry" cx="{_n(plan.middle)}" cy="{_n(first - 24)}" r="5"/>'
    yield _path([(plan.middle, first - 19), (plan.middle, first - 2)], ids, "ahead")
    for start in plan.drawn.starts:
        # Next to the line from the previous step.
        x, top = plan.x + plan.box / 6, plan.tops[start]
        yield f'<circle class="entry" cx="{_n(x)}" cy="{_n(top - 24)}" r="4"/>'
        yield _path([(x, top - 20), (x, top - 2)], ids, "ahead")
    for edge in plan.left.edges:
        yield _path(_around(plan, plan.left, "left", edge), ids, "back", edge)
    for edge in plan.right.edges:
        yield _path(_around(plan, plan.right, "right", edge), ids, "ahead", edge)
    for edge in _straight(plan):
        bottom = plan.tops[edge.source] + plan.heights[edge.source]
        yield _path(
            [(plan.middle, bottom), (plan.middle, plan.tops[edge.target] - 2)], ids, "ahead", edge
        )


def _straight(plan: _Layout) -> list[Edge]:
    aside = {*plan.left.edges, *plan.right.edges}
    return [each for each in plan.drawn.edges if each not in aside]


def _around(plan: _Layout, side: _Side, name: Side, edge: Edge) -> list[tuple[float, float]]:
    """Out of the box, along the lane, into the target; or only until a longer line has the lane."""
    leave = plan.ports[name, edge.source, "out", edge.target]
    enter = plan.ports[name, edge.target, "in", ""]
    away = side.margin + LANE * side.lanes[edge.target]
    lane = plan.x - away if name == "left" else plan.x + plan.box + away
    begin = [(_border(plan, edge.source, name, leave), leave), (lane, leave)]
    if edge in side.short:
        return [*begin, (lane, leave + (ROUND if enter > leave else -ROUND))]
    tip = -2.0 if name == "left" else 2.0
    return [*begin, (lane, enter), (_border(plan, edge.target, name, enter) + tip, enter)]


def _border(plan: _Layout, name: str, side: Side, y: float) -> float:
    """Where a box ends at this height; a gate's sides slant."""
    height = plan.heights[name]
    slant = abs(y - plan.tops[name] - height / 2) / (height / 2) if name in plan.gates else 0
    return plan.x + NOSE * slant if side == "left" else plan.x + plan.box - NOSE * slant


def _path(
    points: Sequence[tuple[float, float]], ids: str, kind: str, edge: Edge | None = None
) -> str:
    """A line with rounded corners, and an arrow if it ends at a box and not in another line."""
    drawn = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    joins = len(points) == JOINING
    share = 1 if joins else 2
    for (before, corner), (_, after) in pairwise(pairwise(points)):
        near, far = _towards(corner, before, share), _towards(corner, after, share)
        drawn.append(
            f"L{_n(near[0])} {_n(near[1])}Q{_n(corner[0])} {_n(corner[1])} {_n(far[0])} "
            f"{_n(far[1])}"
        )
    drawn.append(f"L{_n(points[-1][0])} {_n(points[-1][1])}")
    said = (
        f"<title>{escape(f'{edge.source} → {edge.target}: {edge.label}')}</title>" if edge else ""
    )
    tip = f' marker-end="url(#{ids}-{kind})"' if not joins else ""
    return f'<path class="line {kind}" d="{"".join(drawn)}"{tip}>{said}</path>'


def _towards(
    corner: tuple[float, float], other: tuple[float, float], share: int
) -> tuple[float, float]:
    """The point where the rounding of a corner begins; corners at both ends share a short line."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    part = min(ROUND, length / share) / length if length else 0
    return corner[0] + dx * part, corner[1] + dy * part


def _labels(plan: _Layout) -> Iterator[str]:
    for edge in plan.left.edges:
        y = plan.ports["left", edge.source, "out", edge.target]
        yield _label(plan.x - 9, y - 5, "end", "back", edge)
    for edge in plan.right.edges:
        y = plan.ports["right", edge.source, "out", edge.target]
        yield _label(plan.x + plan.box + 9, y - 5, "start", "ahead", edge)
    for edge in _straight(plan):
        y = (plan.tops[edge.source] + plan.heights[edge.source] + plan.tops[edge.target]) / 2 + 2
        yield _label(plan.middle + 9, y, "start", "ahead", edge)


def _label(x: float, y: float, anchor: str, kind: str, edge: Edge) -> str:
    text = escape(_short(edge.label.replace("_", " ")))
    return (
        f'<text class="label {kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{text}</text>'
    )


def _box(plan: _Layout, node: Node, here: bool) -> str:
    top, height = plan.tops[node.name], plan.heights[node.name]
    middle = top + height / 2
    title, subtitle = _title(node), _subtitle(node)
    shape = "".join(_shape(node.kind, plan.x, top, plan.box, height))
    halo = _rect("halo", plan.x - 6, top - 6, plan.box + 12, height + 12, 16) if here else ""
    room = int((plan.box - 36) / PLAIN)
    words = (
        f'<text class="name" x="{_n(plan.middle)}" '
        f'y="{_n(middle - (4 if subtitle else -5))}">{escape(title)}</text>'
    )
    if subtitle:
        words += (
            f'<text class="detail" x="{_n(plan.middle)}" '
            f'y="{_n(middle + 15)}">{escape(_short(subtitle, room))}</text>'
        )
    mark = ' aria-current="step"' if here else ""
    return (
        "<g "
        f'class="{node.kind}{" here" if here else ""}"{mark}><title>{escape(f"{title}: {subtitle}" if subtitle else title)}</title>{halo}{shape}{words}</g>'  # noqa: E501
    )


def _shape(kind: Kind, x: float, y: float, width: float, height: float) -> Iterator[str]:
    """Agents are rounded, several of them stacked, a person's decision six-sided, a check
    square, the end a pill.
    """
    if kind in {"cluster", "fanout"}:
        for off in (8, 4):
            yield _rect("shape under", x + off, y + off, width - off, height - off, 10)
        yield _rect("shape", x, y, width - 4, height - 4, 10)
    elif kind == "gate":
        half = y + height / 2
        corners = (
            (x, half),
            (x + NOSE, y),
            (x + width - NOSE, y),
            (x + width, half),
            (x + width - NOSE, y + height),
            (x + NOSE, y + height),
        )
        yield (
            f'<polygon class="shape" points="{" ".join(f"{_n(a)},{_n(b)}" for a, b in corners)}"/>'
        )
    else:
        yield _rect("shape", x, y, width, height, {"done": height / 2, "check": 2}.get(kind, 10))


def _rect(name: str, x: float, y: float, width: float, height: float, radius: float) -> str:
    return (
        f'<rect class="{name}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" '
        f'rx="{_n(radius)}"/>'
    )


def _arrow(ids: str, kind: str) -> str:
    return (
        f'<marker id="{ids}-{kind}" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="7" '
        'markerHeight="7" '
        f'orient="auto"><path class="tip {kind}" d="M0 1L9 5L0 9Z"/></marker>'
    )


def _style() -> str:
    """Colours are written out for light and dark: many viewers do not support CSS variables."""
    fixed = (
        ".podium-graph text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
        "Sans',sans-serif}"
        ".podium-graph .head{font-size:17px;font-weight:650;text-anchor:middle}"
        ".podium-graph .name{font-size:14px;font-weight:600;text-anchor:middle}"
        ".podium-graph .detail{font-size:11.5px;text-anchor:middle}"
        ".podium-graph .label{font-size:11.5px}"
        ".podium-graph .line{fill:none;stroke-width:1.6}"
        ".podium-graph .line.back{stroke-dasharray:5 3}"
        ".podium-graph .shape{stroke-width:1.6}"
        ".podium-graph .check .shape{stroke-dasharray:4 3}"
        ".podium-graph .gate .shape{stroke-width:2}"
        ".podium-graph .here .shape{stroke-width:3}"
        ".podium-graph .halo{stroke:none;opacity:.28}"
    )
    light = _colours(_LIGHT, ("#ffffff", "#1b2430", "#5a6675", "#8a95a3", "#b4552d"))
    dark = _colours(_DARK, ("#0f1419", "#e8edf3", "#a3afbd", "#6f7c8b", "#e58a5e"))
    return f"{fixed}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _colours(kinds: dict[str, tuple[str, str]], common: tuple[str, str, str, str, str]) -> str:
    ground, ink, quiet, line, back = common
    rules = [
        f".podium-graph .ground{{fill:{ground}}}",
        f".podium-graph .head,.podium-graph .name{{fill:{ink}}}",
        f".podium-graph .detail,.podium-graph .label{{fill:{quiet}}}",
        f".podium-graph .label.back{{fill:{back}}}",
        f".podium-graph .line{{stroke:{line}}}.podium-graph .line.back{{stroke:{back}}}",
        (
            f".podium-graph .tip,.podium-graph .entry{{fill:{line}}}.podium-graph "
            f".tip.back{{fill:{back}}}"
        ),
    ]
    for kind, (fill, stroke) in kinds.items():
        rules.append(f".podium-graph .{kind} .shape{{fill:{fill};stroke:{stroke}}}")
        rules.append(f".podium-graph .{kind} .halo{{fill:{stroke}}}")
    return "".join(rules)
