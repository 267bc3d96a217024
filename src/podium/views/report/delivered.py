"""The beginning of a report: the proof, the weakened tests, and every file of the code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from podium.proof.delivery import ChangedFile, Delivery, WeakenedTest
from podium.views import figures
from podium.views.markup import code, fenced, prose, table

OPEN = 40
"""Up to this many files are listed as they are; more are folded."""
_LINES = 200
"""Lines of one weakened test; the step's patch has all of them."""


def proof(delivery: Delivery) -> list[str]:
    """A line for each command, the worst first; what does not hold is bold."""
    return [
        f"- **{prose(text, 2000)}**" if tone == "bad" else f"- {prose(text, 2000)}"
        for text, tone in delivery.proof
    ]


def weakened(delivery: Delivery) -> list[str]:
    """Each test that a step weakened, with the lines that show how."""
    lines: list[str] = []
    for words, findings in groupby(delivery.weakened, key=lambda finding: finding.words):
        lines += _weakened(words, list(findings))
    return lines


def _weakened(words: str, findings: Sequence[WeakenedTest]) -> list[str]:
    shown = [line for finding in findings for line in finding.lines]
    told = [f"- **{prose(words, 400)}**, by {code(findings[0].key)}"]
    if not shown:
        return told
    left = len(shown) - _LINES
    more = [f"… {figures.plural(left, 'more line')}"] if left > 0 else []
    return [*told, "", *fenced([*shown[:_LINES], *more], "diff"), ""]


def changes(delivery: Delivery) -> list[str]:
    """Every file: how it was changed, by how many lines, and what it is."""
    if not delivery.files:
        return []
    shown, folded = delivery.files[:OPEN], delivery.files[OPEN:]
    lines = [f"{prose(delivery.summary)}.", "", *_table(shown)]
    if folded:
        words = figures.plural(len(folded), "more file")
        lines += ["", f"<details><summary>{words}</summary>", "", *_table(folded), "", "</details>"]
    if left := delivery.total - len(delivery.files):
        lines += ["", f"{figures.plural(left, 'more file')} not named in the journal."]
    return lines


def _table(files: Sequence[ChangedFile]) -> list[str]:
    rows = [
        [prose(file.status, 1), code(file.name, 400), prose(file.counts), prose(file.mark)]
        for file in files
    ]
    return table(["", "File", "Lines", ""], rows)
