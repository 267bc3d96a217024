"""Payloads against their schemas: every fault with its place, what was expected and what was found.

What agents send is hostile: its size is checked before anything looks into it, and a fault never
repeats more than a few words of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from podium.core.nearest import nearest
from podium.workflows.governed.payloads.schema_store import CLARIFICATION, schema
from podium.workflows.governed.terms import GENERATIONS, LATEST, Generation

MOST_TEXT = 1_000_000
MOST_VALUES = 50_000
MOST_DEPTH = 40
MOST_FAULTS = 20
_KINDS: Mapping[str, str] = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


@dataclass(frozen=True)
class PayloadFault:
    """One deviation from the schema."""

    path: str
    """The place, as `phases[2].title`; empty for the payload itself."""
    expected: str
    got: str
    mend: str = ""

    def __str__(self) -> str:
        missing = self.got == "nothing" and self.expected == "a value"
        said = f"{self.path or 'the object'}: " + (
            "is missing" if missing else f"expected {self.expected}, got {self.got}"
        )
        return f"{said}; {self.mend}" if self.mend else said


def payload_faults(
    name: str, data: Any, generation: Generation = LATEST
) -> tuple[PayloadFault, ...]:
    """Every fault of a payload, in the order of places; none if it is valid."""
    if oversized := tuple(measured(data)):
        return oversized
    found = {
        fault
        for error in _validator(name, generation).iter_errors(data)
        for fault in _faults(error)
    }
    ordered = sorted(found, key=lambda each: (each.path, each.expected, each.got))
    if len(ordered) > MOST_FAULTS:
        rest = len(ordered) - MOST_FAULTS
        return (*ordered[:MOST_FAULTS], PayloadFault("", "a valid payload", f"{rest} more faults"))
    return tuple(ordered)


def accepted(name: str, data: Any) -> tuple[Generation | None, tuple[PayloadFault, ...]]:
    """The latest generation whose schema accepts the payload; if none does, the faults of the
    closest one.
    """
    nearest_faults: tuple[PayloadFault, ...] = ()
    for generation in reversed(GENERATIONS):
        found = payload_faults(name, data, generation)
        if not found:
            return generation, ()
        if not nearest_faults or len(found) < len(nearest_faults):
            nearest_faults = found
    return None, nearest_faults


def measured(data: Any) -> Iterator[PayloadFault]:
    """What is too large, too deep or not JSON; checked before anything else reads the data."""
    text = values = 0
    waiting: list[tuple[Any, int, str]] = [(data, 1, "")]
    while waiting:
        value, depth, path = waiting.pop()
        values += 1
        if isinstance(value, str):
            text += len(value)
        elif isinstance(value, float) and not math.isfinite(value):
            yield PayloadFault(path, "a finite number", str(value))
        if isinstance(value, Mapping):
            text += sum(len(str(key)) for key in value)
            waiting += [(each, depth + 1, joined(path, str(key))) for key, each in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(each, depth + 1, f"{path}[{at}]") for at, each in enumerate(value)]
        if text > MOST_TEXT or values + len(waiting) > MOST_VALUES or depth > MOST_DEPTH:
            limit = f"at most {MOST_TEXT} characters, {MOST_VALUES} values, {MOST_DEPTH} levels"
            yield PayloadFault("", limit, "more")
            return


def joined(path: str, name: str) -> str:
    name = name if len(name) <= 40 else name[:37] + "…"
    return f"{path}.{name}" if path else name


@cache
def _validator(name: str, generation: Generation) -> Any:
    # Imported here because it takes a tenth of a second, and most commands validate nothing.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    shared = DRAFT202012.create_resource(schema(CLARIFICATION, generation))
    registry = Registry().with_resource(f"{CLARIFICATION}.schema.json", shared)
    return Draft202012Validator(
        schema(name, generation),
        registry=registry,
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )


def _faults(error: Any) -> Iterator[PayloadFault]:
    path = _spelled(error.absolute_path)
    value, limit = error.instance, error.validator_value
    match error.validator:
        case "required":
            for name in limit:
                if name not in value:
                    yield PayloadFault(joined(path, name), "a value", "nothing")
        case "additionalProperties":
            known = list(error.schema.get("properties", {}))
            for name in (each for each in value if each not in known):
                near = nearest(str(name), known)
                mend = f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"[:300]
                yield PayloadFault(
                    joined(path, str(name)), "no such member", shown(value[name]), mend
                )
        case "enum":
            near = (
                nearest(value, [each for each in limit if isinstance(each, str)])
                if isinstance(value, str)
                else ""
            )
            mend = f"did you mean {near!r}?" if near else ""
            yield PayloadFault(path, f"one of {', '.join(map(str, limit))}", shown(value), mend)
        case _:
            yield PayloadFault(path, _expected(error), _got(error))


def _expected(error: Any) -> str:
    limit = error.validator_value
    match error.validator:
        case "type":
            return " or ".join(
                _KINDS[each] for each in ([limit] if isinstance(limit, str) else limit)
            )
        case "const":
            return shown(limit)
        case "minimum":
            return f"{limit:g} or more"
        case "maximum":
            return f"{limit:g} or less"
        case "minLength":
            return f"at least {limit} characters"
        case "minItems":
            return f"at least {_items(limit)}"
        case "maxItems":
            return f"at most {_items(limit)}"
        case "format":
            return f"a {limit}"
        case "contains" | "minContains" | "maxContains":
            many = "exactly one" if error.schema.get("maxContains") else "an"
            return f"{many} item with {_wanted(error.schema['contains'])}"
        case "oneOf" | "anyOf":
            return " or ".join(_KINDS[each["type"]] for each in limit if "type" in each)
        case keyword:
            return f"what {keyword!r} asks for"


def _items(limit: int) -> str:
    return "1 item" if limit == 1 else f"{limit} items"


def _wanted(limit: Mapping[str, Any]) -> str:
    parts = (f"{name} {rule.get('const')}" for name, rule in limit.get("properties", {}).items())
    return ", ".join(parts)


def _got(error: Any) -> str:
    value = error.instance
    if error.validator in {"minLength", "minItems", "maxItems"}:
        return f"{len(value)}" + (f" ({shown(value)})" if isinstance(value, str) and value else "")
    if error.validator in {"contains", "minContains", "maxContains"}:
        return "several" if error.validator == "maxContains" else "none"
    return shown(value)


def _spelled(path: Iterable[str | int]) -> str:
    said = ""
    for part in path:
        said = f"{said}[{part}]" if isinstance(part, int) else joined(said, part)
    return said


def shown(value: Any) -> str:
    """The first words of a value."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    text = repr(value[:60]) if isinstance(value, str) else str(value)[:60]
    return text if len(str(value)) <= 60 else text + "…"
