"""The tables of the pages about proof: states explored, hostile agents, and rules broken on
purpose.
"""

from __future__ import annotations

import json

from scripts.pages import ROOT
from scripts.pages.tables import code, rows
from scripts.pages.workflow_figures import checked

from podium.workflows.catalog import NAMES


def proof_states() -> str:
    """What `podium check` finds about all workflows."""
    body, whole = [], [0, 0]
    for name in NAMES:
        told, broken = checked(name)
        whole = [whole[0] + told["states"], whole[1] + told["transitions"]]
        claims = [claim for each in (told, *told["children"]) for claim in each["invariants"]]
        named = [each.name for each in broken]
        counts = (
            len(claims) + len(told["claims"]),
            len(broken),
            named.count("skipped stage"),
            named.count("bypassed gate"),
        )
        body.append(
            (code(name), f"{told['states']:,}", f"{told['transitions']:,}", *map(str, counts))
        )
    body.append(("together", f"{whole[0]:,}", f"{whole[1]:,}", "", "", "", ""))
    return rows(
        (
            "Workflow",
            "States",
            "Transitions",
            "Claims",
            "Violations",
            "Skipped stages",
            "Bypassed gates",
        ),
        body,
    )


def proof_hostile() -> str:
    """The saved figures of a million steps."""
    told = json.loads((ROOT / "docs/proof.json").read_text(encoding="utf-8"))
    keys = ("steps", "runs", "complete", "wrong", "refused", "skipped", "bypassed")
    named = [*((code(name), each) for name, each in told["workflows"].items()), ("together", told)]
    head = (
        "Workflow",
        "Steps",
        "Runs",
        "Complete",
        "Wrong answers",
        "Refused",
        "Skipped stages",
        "Bypassed gates",
    )
    return rows(head, [(name, *(f"{each[key]:,}" for key in keys)) for name, each in named])


def mutations() -> str:
    """The saved results of the broken rules, by package."""
    told = json.loads((ROOT / "docs/mutations.json").read_text(encoding="utf-8"))["breaks"]
    results = [
        (
            "/".join(each["file"].split("/")[: 2 if each["file"].startswith("workflows/") else 1]),
            each["result"],
        )
        for each in told
    ]
    named = [
        (code(name), [result for where, result in results if where == name])
        for name in sorted({where for where, _ in results})
    ]
    body = [
        (name, str(len(each)), str(each.count("caught")))
        for name, each in (*named, ("together", [result for _, result in results]))
    ]
    return rows(("Package", "Breaks", "Caught"), body)
