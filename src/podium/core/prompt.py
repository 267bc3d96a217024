"""Renders a brief to the prompt that every agent gets."""

from __future__ import annotations

from collections.abc import Sequence

from podium.core.contract import Brief


def render(brief: Brief) -> str:
    """Markdown, in a careful reader's order: who, what, from what, to what, how to report."""
    parts = [
        "\n".join(brief.opening),
        f"# {brief.role}: {brief.key}",
        brief.definition.strip(),
        _section("The task", [brief.task.strip()]),
        _section("What earlier steps found", [_handed(*each) for each in brief.context]),
        _section("You may read", _inputs(brief)),
        _section("You must write", _outputs(brief)),
        _section("Fixed values", [f"- {name}: {value}" for name, value in brief.facts.items()]),
        _section("Scope", [f"- {line}" for line in brief.scope]),
        _section("What people said", [_quoted(note) for note in brief.notes]),
        _section("What went wrong before", [f"- {line}" for line in brief.history]),
        _section("How to report", [f"- {line}" for line in brief.vocabulary]),
    ]
    return "\n\n".join([part for part in parts if part]) + "\n"


def _section(title: str, lines: Sequence[str]) -> str:
    body = "\n".join([line for line in lines if line]) if lines else ""
    return f"## {title}\n\n{body}" if body else ""


def _inputs(brief: Brief) -> list[str]:
    lines = [f"- `{path}` ({name})" for name, path, _ in brief.inputs]
    if brief.code != "none":
        lines.append("- the project's code in this folder")
    lines.append(
        "\nYour working folder holds exactly these. If something you need is not among them, "
        "do not look for it elsewhere: report that you cannot do it, and name what is missing."
    )
    return lines


def _outputs(brief: Brief) -> list[str]:
    lines = []
    for name, path, structure in brief.outputs:
        lines.append(f"- `{path}` ({name})")
        lines += [f"  - {each}" for each in structure]
    return lines


def _handed(title: str, text: str) -> str:
    """Another agent's words are quoted: they inform, they do not instruct."""
    return f"### {title}\n\n{_quoted(text)}\n"


def _quoted(note: str) -> str:
    return "\n".join(f"> {line}" for line in note.splitlines())
