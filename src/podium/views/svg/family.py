"""A workflow and the workflows of its child runs in one picture, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from podium.core.diagram import Graph
from podium.views.svg.picture import svg

_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
APART = 12


def family(drawn: Graph, current: str | None = None) -> str:
    """The picture of a workflow, with its child runs' workflows to the right of it."""
    graphs = list(_graphs(drawn))
    if len(graphs) == 1:
        return svg(drawn, current)
    parts: list[str] = []
    across = high = 0.0
    for each in graphs:
        picture = svg(each, current if each is graphs[0] else None)
        found = _SIZE.search(picture)
        assert found is not None
        parts.append(picture.replace("<svg ", f'<svg x="{across:g}" y="0" ', 1))
        across += float(found[1]) + APART
        high = max(high, float(found[2]))
    wide = across - APART
    names = escape(", ".join(each.name for each in graphs))
    size = f'viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{names}">'
    return "\n".join([head, *(part.rstrip() for part in parts), "</svg>"]) + "\n"


def _graphs(drawn: Graph) -> Iterator[Graph]:
    yield drawn
    for node in drawn.nodes:
        if node.inner is not None:
            for each in _graphs(node.inner):
                yield (
                    replace(each, name=f"{node.name}: {each.name}") if each is node.inner else each
                )
