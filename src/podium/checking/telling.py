"""A counter-example for people: as a numbered story, and as a drawing of its path."""

from __future__ import annotations

from podium.core.diagram import ids_of, quoted
from podium.core.proofs import Path, Violation


def told(violation: Violation) -> list[str]:
    """The path, a line for each step, and what is wrong at its end."""
    lines = [
        f"{number}. {step} ends {outcome}"
        for number, (step, outcome) in enumerate(violation.path, 1)
    ]
    return [*lines, f"{len(lines) + 1}. {violation.detail}"]


def drawn(path: Path, at: str = "") -> str:
    """The path as Mermaid text, each line numbered as in the story; empty if there is no path to
    show.

    `at`: the step where it ends.
    """
    if not path:
        return ""
    ids = ids_of(dict.fromkeys([*(step for step, _ in path), *([at] if at else [])]))
    lines = ["stateDiagram-v2"]
    lines += [
        f'  state "{quoted(name)}" as {short}' for name, short in ids.items() if name != short
    ]
    lines.append(f"  [*] --> {ids[path[0][0]]}")
    following = [*(step for step, _ in path[1:]), at]
    for number, ((step, outcome), after) in enumerate(zip(path, following, strict=True), 1):
        if after:
            lines.append(f"  {ids[step]} --> {ids[after]}: {number}. {quoted(outcome)}")
        else:
            lines += [
                "  state broken <<choice>>",
                f"  {ids[step]} --> broken: {number}. {quoted(outcome)}",
            ]
    if at:
        lines += ["  classDef broken stroke:#d6293e,stroke-width:4px", f"  class {ids[at]} broken"]
    return "\n".join(lines) + "\n"
