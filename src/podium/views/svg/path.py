"""The picture of a workflow with one path through it highlighted."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise

from podium.core.diagram import Graph
from podium.core.proofs import Path
from podium.views.svg.family import family

_STYLE = (
    ".podium-graph .line.lit{stroke:#d6293e;stroke-width:2.6}.podium-graph .lit "
    ".shape{stroke:#d6293e;stroke-width:4}"
    ".podium-graph .broken .shape{stroke-dasharray:2 3}"
)
_LINE = re.compile(r'<path class="line (?P<kind>\w+)"(?P<rest>[^>]*)><title>(?P<way>[^<]*?): ')
_BOX = re.compile(r'<g class="(?P<kind>\w+)"(?P<rest>[^>]*)><title>(?P<name>[^<:]*)')


def lit(drawn: Graph, path: Path, at: str = "") -> str:
    """Every line and box of the path in red, the last box dashed: there it breaks. `at`: where
    the path leads.
    """
    steps = [*(step for step, _ in path), *([at] if at else [])]
    ways = {escape(f"{before} → {after}") for before, after in pairwise(steps)}
    boxes = {escape(step.replace("_", " ")) for step in steps}
    last = escape(steps[-1].replace("_", " ")) if steps else ""

    def line(found: re.Match[str]) -> str:
        mark = " lit" if found["way"] in ways else ""
        return f'<path class="line {found["kind"]}{mark}"{found["rest"]}><title>{found["way"]}: '

    def box(found: re.Match[str]) -> str:
        mark = (" lit" if found["name"] in boxes else "") + (
            " broken" if found["name"] == last else ""
        )
        return f'<g class="{found["kind"]}{mark}"{found["rest"]}><title>{found["name"]}'

    picture = _BOX.sub(box, _LINE.sub(line, family(drawn)))
    return picture.replace("</style>", f"{_STYLE}</style>", 1)
