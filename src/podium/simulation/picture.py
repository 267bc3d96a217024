"""A simulation as a picture: one self-contained SVG with a panel for the ends and one for each
plotted number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from podium.simulation.figures import Sample, edges
from podium.simulation.telling import PLOTTED, TITLES, shown

WIDE, HIGH, GAP, LEFT, TOP = 460, 190, 44, 24, 62
INKS = ("#3b6fd4", "#d97a1f")
STYLE = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;fill:#1b2430}"
    ".head{font-size:17px;font-weight:650}.title{font-size:13px;font-weight:"
    "600}.small{font-size:11px;fill:#5a6675;paint-order:stroke;stroke:#fff;stroke-width:"
    "3px;stroke-linejoin:round}"
    ".ground{fill:#fff}.axis{stroke:#c3cad3}"
    "@media (prefers-color-scheme:dark){.ground{fill:#0f1419}text{fill:#e8edf3}.small{fill:"
    "#a3afbd;stroke:#0f1419}.axis{stroke:#46505c}}"
)


def svg(title: str, samples: Sequence[tuple[str, Sample]]) -> str:
    """One or two simulations; two are drawn over each other in two colours."""
    wide = 2 * WIDE + 5 * LEFT
    high = TOP + 2 * (HIGH + GAP) + 16
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
            f'height="{high}" role="img">'
        ),
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(_described(samples))}</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{wide}" height="{high}" rx="12"/>',
        f'<text class="head" x="{LEFT}" y="30">{escape(title)}</text>',
        *_legend(samples),
        *_ends(samples, LEFT, TOP),
    ]
    for place, name in enumerate(PLOTTED, 1):
        x = LEFT + (place % 2) * (WIDE + 3 * LEFT)
        y = TOP + (place // 2) * (HIGH + GAP)
        parts += _panel(name, samples, x, y)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _described(samples: Sequence[tuple[str, Sample]]) -> str:
    told = []
    for label, sample in samples:
        ends = ", ".join(f"{end} {count / sample.runs:.1%}" for end, count in sample.ends.items())
        middles = ", ".join(
            f"{TITLES[name]} half within {shown(name, sample.measures[name].at(0.5))}"
            for name in PLOTTED
        )
        told.append(f"{label}: {sample.runs} runs; {ends}; {middles}")
    return ". ".join(told)


def _legend(samples: Sequence[tuple[str, Sample]]) -> Iterator[str]:
    x = float(LEFT)
    for (label, _), ink in zip(samples, INKS, strict=False):
        yield f'<rect x="{x:g}" y="40" width="10" height="10" rx="2" fill="{ink}"/>'
        yield f'<text class="small" x="{x + 15:g}" y="49">{escape(label)}</text>'
        x += 30 + 6.4 * len(label)


def _ends(samples: Sequence[tuple[str, Sample]], x: float, y: float) -> Iterator[str]:
    yield f'<text class="title" x="{x:g}" y="{y + 12:g}">Ends</text>'
    names = list(dict.fromkeys(end for _, sample in samples for end in sample.ends))[:7]
    room = (HIGH - 24) / max(1, len(names))
    thick = min(14.0, (room - 4) / len(samples))
    for place, end in enumerate(names):
        top = y + 24 + place * room
        yield f'<text class="small" x="{x:g}" y="{top + 10:g}">{escape(end)}</text>'
        for row, ((_, sample), ink) in enumerate(zip(samples, INKS, strict=False)):
            long = max(1.0, 220 * sample.share(end)) if sample.share(end) else 0.0
            at = top + row * thick
            yield (
                f'<rect x="{x + 130:g}" y="{at:.1f}" width="{long:.1f}" height="{thick - 2:.1f}" '
                f'rx="2" fill="{ink}"/>'
            )
            yield (
                f'<text class="small" x="{x + 136 + long:.1f}" '
                f'y="{at + thick - 4:.1f}">{sample.share(end):.1%}</text>'
            )


def _panel(name: str, samples: Sequence[tuple[str, Sample]], x: float, y: float) -> Iterator[str]:
    spreads = [sample.measures[name] for _, sample in samples]
    places = edges(name, *spreads)
    counts = [each.counts(places) for each in spreads]
    most = max(max(each) for each in counts)
    step, floor, room = WIDE / (len(places) - 1), y + HIGH, HIGH - 40
    yield f'<text class="title" x="{x:g}" y="{y + 12:g}">{escape(TITLES[name])}</text>'
    for found, ink in zip(counts, INKS, strict=False):
        for place, count in enumerate(found):
            tall = room * count / most
            yield (
                f'<rect x="{x + place * step + 1:.1f}" y="{floor - tall:.1f}" '
                f'width="{step - 2:.1f}" height="{tall:.1f}" '
                f'fill="{ink}" '
                f'fill-opacity="{0.85 if len(counts) == 1 else 0.55}"><title>{escape(shown(name, places[place]))}: '  # noqa: E501
                ""
                ""
                f"{count}</title></rect>"
            )
    for (each, ink), row in zip(zip(spreads, INKS, strict=False), range(2), strict=False):
        at = x + min(1.0, each.at(0.5) / places[-1]) * WIDE
        yield (
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y + 22:g}" y2="{floor:g}" stroke="{ink}" '
            'stroke-width="2" stroke-dasharray="4 3"/>'
        )
        yield (
            f'<text class="small" x="{at + 5:.1f}" y="{y + 32 + 13 * row:g}">half within '
            f"{escape(shown(name, each.at(0.5)))}</text>"
        )
    yield f'<line class="axis" x1="{x:g}" x2="{x + WIDE:g}" y1="{floor:g}" y2="{floor:g}"/>'
    every = max(1, (len(places) - 1) // 4)
    for place in range(0, len(places), every):
        yield (
            f'<text class="small" x="{x + place * step:.1f}" y="{floor + 15:g}" '
            f'text-anchor="middle">{escape(shown(name, places[place]))}</text>'
        )
