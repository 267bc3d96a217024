"""What an agent is told about the form of a document, in sentences."""

from __future__ import annotations

from podium.documents.groups import Many, inner
from podium.documents.record import Part, Table
from podium.documents.values import Value

_FORMS = {"yaml": "YAML with", "json": "JSON with", "markdown": "Markdown with the parts"}


def sentences(value: Value, form: str) -> tuple[str, ...]:
    """One that names all parts, and one for each."""
    table = inner(value)
    if isinstance(table, Many) and isinstance(inner(table.of), Table):
        return (f"A list, each entry {_described(table.of, form)}.",)
    if not isinstance(table, Table):
        return (f"It is {value.describe()}.",)
    parts = [part for part in table.parts if not part.program]
    names = ", ".join(f"`{_name(part, form)}`" for part in parts if part.required)
    lines = [f"{_FORMS[form]}: {names}."] if names else []
    for part in parts:
        optional = "" if part.required else " (may be left out)"
        lines.append(f"`{_name(part, form)}`{optional}: {_about(part, form)}.")
    return tuple(lines)


def _name(part: Part, form: str) -> str:
    return part.label if form == "markdown" else part.key


def _about(part: Part, form: str) -> str:
    return part.about or _described(part.value, form)


def _described(value: Value, form: str) -> str:
    plain = inner(value)
    many = isinstance(plain, Many)
    table = inner(plain.of) if isinstance(plain, Many) else plain
    if not isinstance(table, Table):
        return value.describe()
    parts = [part for part in table.parts if not part.program]
    named = [part for part in parts if part.labels or form != "markdown"]
    inside = "; ".join(f"{_name(part, form)} ({_about(part, form)})" for part in named)
    if not many:
        return f"with {inside}"
    lead = "a heading or an item for each, with" if form == "markdown" else "a list, each with"
    return f"{lead} {inside}"
