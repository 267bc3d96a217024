"""Lines of a terminal as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from podium.views.look import Line, Tone

INK: Mapping[Tone, str] = {
    "plain": "#d7dde5",
    "dim": "#7d8896",
    "strong": "#ffffff",
    "good": "#6fce8f",
    "bad": "#f0766e",
    "busy": "#67c7d9",
    "ask": "#e9c46a",
    "link": "#67c7d9",
}
CELL, LEADING, EDGE = 8.4, 19, 18


def svg(title: str, lines: Sequence[Line]) -> str:
    """Every text has a fixed width, so that columns line up whatever the reader's font is."""
    across = max((sum(len(text) for text, _ in line) for line in lines), default=0)
    wide, high = round(across * CELL + 2 * EDGE), len(lines) * LEADING + 2 * EDGE
    body = []
    for number, line in enumerate(lines):
        at, y = 0, EDGE + LEADING * number + 14
        for text, tone in line:
            if text.strip():
                lead = len(text) - len(text.lstrip())
                shown_text = text.strip()
                weight = ' font-weight="bold"' if tone in {"strong", "bad", "ask"} else ""
                body.append(
                    f'<text x="{EDGE + (at + lead) * CELL:.1f}" y="{y}" fill="{INK[tone]}"{weight} '
                    f'textLength="{len(shown_text) * CELL:.1f}" '
                    f'lengthAdjust="spacingAndGlyphs">{escape(shown_text)}</text>'
                )
            at += len(text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="img">\n'
        f"<title>{escape(title)}, as the terminal shows it</title>\n"
        f'<rect width="{wide}" height="{high}" rx="8" fill="#12171e"/>\n'
        "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
        'Mono\',monospace" font-size="14" '
        'xml:space="preserve">\n' + "\n".join(body) + "\n</g>\n</svg>\n"
    )
