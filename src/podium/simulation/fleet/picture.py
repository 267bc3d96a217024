"""A simulated day as a picture: the line, the places in use, and how full each part is at the
busiest time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from podium.simulation.fleet.report import hourly
from podium.simulation.picture import GAP, HIGH, INKS, LEFT, STYLE, TOP, WIDE

PANELS = (
    ("In line, mean of the hour", "in_line"),
    ("Places in use", "under_way"),
    ("Runs that wait for people", "resting"),
)


def svg(title: str, found: dict[str, Any]) -> str:
    wide, high = 2 * WIDE + 5 * LEFT, TOP + 2 * (HIGH + GAP) + 16
    loads = ", ".join(f"{each['part']} {each['load_at_peak']:.0%}" for each in found["parts"])
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
            f'height="{high}" role="img">'
        ),
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(f'Load at the busiest hour: {loads}')}</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{wide}" height="{high}" rx="12"/>',
        f'<text class="head" x="{LEFT}" y="30">{escape(title)}</text>',
        *_loads(found["parts"], LEFT, TOP),
    ]
    for place, (name, key) in enumerate(PANELS, 1):
        x, y = LEFT + (place % 2) * (WIDE + 3 * LEFT), TOP + (place // 2) * (HIGH + GAP)
        parts += _panel(name, hourly([(each["hour"], each[key]) for each in found["day"]]), x, y)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _loads(parts: Sequence[dict[str, Any]], x: float, y: float) -> Iterator[str]:
    yield f'<text class="title" x="{x:g}" y="{y + 12:g}">Load in the busiest hour</text>'
    room = (HIGH - 24) / max(1, len(parts))
    for place, each in enumerate(parts):
        top, long = y + 24 + place * room, max(1.0, 220 * min(1.0, each["load_at_peak"]))
        ink = INKS[0] if each["load_at_peak"] <= 1 else INKS[1]
        yield f'<text class="small" x="{x:g}" y="{top + 10:g}">{escape(each["part"])}</text>'
        yield (
            f'<rect x="{x + 130:g}" y="{top:.1f}" width="{long:.1f}" '
            f'height="{min(14.0, room - 4):.1f}" rx="2" fill="{ink}"/>'
        )
        yield (
            f'<text class="small" x="{x + 136 + long:.1f}" '
            f'y="{top + 10:.1f}">{each["load_at_peak"]:.0%}</text>'
        )


def _panel(name: str, values: Sequence[tuple[int, float]], x: float, y: float) -> Iterator[str]:
    most = max((value for _, value in values), default=0.0)
    step, floor, room = WIDE / max(1, len(values)), y + HIGH, HIGH - 40
    yield f'<text class="title" x="{x:g}" y="{y + 12:g}">{escape(name)}, at most {most:,.0f}</text>'
    for place, (hour, value) in enumerate(values):
        tall = room * value / most if most else 0.0
        yield (
            f'<rect x="{x + place * step + 1:.1f}" y="{floor - tall:.1f}" '
            f'width="{step - 2:.1f}" height="{tall:.1f}" '
            f'fill="{INKS[0]}" fill-opacity="0.85"><title>{hour:02d}:00: '
            f"{value:,.0f}</title></rect>"
        )
    yield f'<line class="axis" x1="{x:g}" x2="{x + WIDE:g}" y1="{floor:g}" y2="{floor:g}"/>'
    for place in range(0, len(values), 6):
        yield (
            f'<text class="small" x="{x + place * step:.1f}" y="{floor + 15:g}" '
            f'text-anchor="middle">{values[place][0]:02d}:00</text>'
        )
