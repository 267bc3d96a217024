"""What a run has come to, as lines of a terminal: the proof, weakened tests, files of the code."""

from __future__ import annotations

from collections.abc import Sequence

from podium.proof.delivery import ChangedFile, Delivery, kinds_of
from podium.views import figures, safe
from podium.views.look import Line, Span, Tone, elided, wrapped

_STATUS: dict[str, Tone] = {"A": "good", "D": "bad", "R": "ask", "M": "plain"}


def proof_block(delivery: Delivery, width: int, most: int = 20) -> list[Line]:
    """What is proven, each sentence broken at words; the worst ones have a line at least."""
    sentences = delivery.proof
    for long in (6, 3, 2, 1):
        lines: list[Line] = [
            [(piece, tone)]
            for text, tone in sentences
            for piece in wrapped(safe.line(text, 2000), max(20, width), long)
        ]
        if len(lines) <= most:
            return lines
    shown = max(1, most - 1)
    rest: Line = [(f"… and {figures.plural(len(sentences) - shown, 'more command')}", "ask")]
    return [*lines[:shown], rest][:most]


def change_block(delivery: Delivery, width: int, most: int) -> list[Line]:
    """The files, at most `most` lines with the one that counts them; what is left out is counted
    by kind.
    """
    if not delivery.files or most < 1:
        return []
    head: Line = [(safe.fit(delivery.summary, width), "strong")]
    fits = len(delivery.files) == delivery.total < most
    shown = delivery.files if fits else delivery.files[: max(0, most - 2)]
    return [head, *file_lines(shown, width), *_unnamed(delivery, shown)][:most]


def _unnamed(delivery: Delivery, shown: Sequence[ChangedFile]) -> list[Line]:
    """How many files are not named here, by kind as far as it is known."""
    left = delivery.total - len(shown)
    if not left:
        return []
    hidden = delivery.files[len(shown) :]
    kinds = kinds_of(hidden) if len(hidden) == left else ""
    words = f"… and {figures.plural(left, 'more file')}{': ' if kinds else ''}{kinds}"
    return [[(words, "dim")]]


def file_lines(files: Sequence[ChangedFile], width: int) -> list[Line]:
    """`M src/app.py   +2 −1  test`, in columns."""
    counts = max((safe.cells(file.counts) for file in files), default=0)
    marks = max((safe.cells(file.mark) for file in files), default=0)
    room = max(12, width - counts - marks - 6)
    size = min(room, max((safe.cells(safe.line(file.name, 400)) for file in files), default=0))
    lines: list[Line] = []
    for file in files:
        spans: list[Span] = [
            (f"{safe.line(file.status, 1)} ", _STATUS.get(file.status, "plain")),
            (f"{safe.pad(elided(safe.line(file.name, 400), size), size)}  ", "plain"),
            (safe.pad(file.counts, counts), "dim"),
        ]
        marked: list[Span] = [(f"  {file.mark}", "dim" if file.kind == "document" else "ask")]
        lines.append([*spans, *(marked if file.mark else [])])
    return lines


def weakened_block(delivery: Delivery, width: int, most: int) -> list[Line]:
    """A line for each test that was weakened; the reader and the report have the lines of it."""
    texts = delivery.weakened_files
    if most < 1:
        return []
    shown = texts if len(texts) <= most else texts[: most - 1]
    lines: list[Line] = [
        [("weakened  ", "bad"), (safe.line(text, max(20, width - 10)), "bad")] for text in shown
    ]
    if len(shown) < len(texts):
        lines.append([(f"… and {len(texts) - len(shown)} more weakened", "bad")])
    return lines
