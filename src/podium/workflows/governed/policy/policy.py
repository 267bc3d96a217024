"""The policy of a run: `governance/runtime-policy.json` of either generation, with settings laid
over it.

The file is the only source of numbers. What it leaves out has its built-in value. Misspelled keys
are refused, all at once, because a limit that nobody reads protects nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.formats import strict_json
from podium.workflows.governed.policy.keys import KEYS, TABLES, PolicyKey
from podium.workflows.governed.terms import LATEST, Generation, Tier

PATH = "governance/runtime-policy.json"
SETTINGS = "policy.governed"
NOT_OURS = frozenset({"retry_backoff_s", "step_timeout_s", "proof", "repair_attempts"})
"""Settings of every workflow, which are in the same table."""
_REMARKS = frozenset({"_comment", "_expected_validation", "notes"})
"""Texts for people; they decide nothing."""
_CALLED: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True)
class Policy:
    """Every value by its dotted name."""

    values: Mapping[str, Any]
    """Plain data, so that a run can keep it."""
    generation: Generation = LATEST
    """The generation whose schemas payloads follow."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Role to the model of its agent, where the settings name one."""

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def integer(self, name: str) -> int:
        return int(self.values[name])

    def number(self, name: str) -> float:
        return float(self.values[name])

    def cap(self, name: str) -> float | None:
        """A number, or None if there is no limit."""
        value = self.values[name]
        return None if value is None else float(value)

    def flag(self, name: str) -> bool:
        return bool(self.values[name])

    def text(self, name: str) -> str:
        return str(self.values[name])

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self.values[name])

    def max_revisions(self, tier: Tier) -> int:
        """How often a plan of this tier may be sent back."""
        return self.integer(f"max_iterations_by_tier.{tier}")

    def reviews(self, tier: Tier, step: str) -> bool:
        """Whether the tier's pipeline has this step."""
        return self.flag(f"review_pipeline_by_tier.{tier}.{step}")


DEFAULT = Policy({name: key.default for name, key in KEYS.items()})
"""Applies where no file and no setting says otherwise."""


def read_policy(
    text: str | None, overlay: Mapping[str, Any] | None = None, where: str = PATH
) -> Policy:
    """The policy in a file's text (None if there is no file) with dotted settings laid over it.

    InputError lists every fault of both.
    """
    faults: list[Fault] = []
    found: dict[str, Any] = {}
    generation = LATEST
    if text is not None:
        data = strict_json.parse_table(text, where)
        found = dict(_taken(data, where, "", faults))
        generation = _generation(found)
    for name, value in (overlay or {}).items():
        found |= dict(_overlaid(name, value, faults))
    if faults:
        raise InputError(faults)
    return Policy({name: found.get(name, key.default) for name, key in KEYS.items()}, generation)


def laid_over(policy: Policy, overlay: Mapping[str, Any]) -> Policy:
    """The policy with dotted settings laid over it, as on resume; InputError lists every fault."""
    faults: list[Fault] = []
    found = {
        name: value for key, each in overlay.items() for name, value in _overlaid(key, each, faults)
    }
    if faults:
        raise InputError(faults)
    return replace(policy, values={**policy.values, **found})


def _generation(found: Mapping[str, Any]) -> Generation:
    """A file with most keys of the earlier generation and none of the later belongs to the
    earlier; one that sets a few keys does not tell.
    """
    earlier = sum(not key.later for key in KEYS.values())
    alone = not any(KEYS[name].later for name in found)
    return "2026-04" if alone and 2 * len(found) > earlier else LATEST


def _taken(
    table: Mapping[str, Any], where: str, prefix: str, faults: list[Fault]
) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        full = prefix + name
        if name in _REMARKS:
            if not isinstance(value, str):
                faults.append(Fault(where, f"{full} must be text, not {_shown(value)}"))
        elif full in KEYS:
            if fault := _misfit(full, KEYS[full], value, where):
                faults.append(fault)
            else:
                yield full, value
        elif full in TABLES:
            if isinstance(value, Mapping):
                yield from _taken(value, where, f"{full}.", faults)
            else:
                faults.append(Fault(where, f"{full} must be a table, not {_shown(value)}"))
        else:
            faults.append(Fault(where, f"{full} is not known", _nearest(full, prefix)))


def _overlaid(name: str, value: Any, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    """One setting; names are compared without case, because environment variables have none."""
    known = {each.casefold(): each for each in KEYS}
    full = known.get(name.casefold(), "")
    if name in NOT_OURS or name.rpartition(".")[2] in _REMARKS:
        return
    if not full:
        prefix = name.rpartition(".")[0]
        faults.append(
            Fault(SETTINGS, f"{name} is not known", _nearest(name, f"{prefix}." if prefix else ""))
        )
        return
    value = list(value) if isinstance(value, tuple) else value
    read = _spelled(KEYS[full], value) if isinstance(value, str) else value
    if fault := _misfit(full, KEYS[full], read, SETTINGS):
        faults.append(fault)
    else:
        yield full, read


def _spelled(key: PolicyKey, text: str) -> Any:
    """The value that `--set KEY=VALUE` or a variable spells; the text itself if it spells none."""
    word = text.strip()
    if key.nullable and word.casefold() in {"null", "none", ""}:
        return None
    if key.kind in {"texts", "members"}:
        return [part.strip() for part in word.split(",") if part.strip()]
    if key.kind == "flag":
        return {"true": True, "false": False}.get(word.casefold(), text)
    for kind, convert in (("whole", int), ("number", float)):
        if key.kind == kind:
            try:
                return convert(word)
            except ValueError:
                return text
    return text


def _misfit(full: str, key: PolicyKey, value: Any, where: str) -> Fault | None:
    if key.fits(value):
        return None
    if key.kind == "members" and isinstance(value, list):
        wrong = next(each for each in value if each not in key.words)
        near = nearest(str(wrong), key.words)
        mend = f"did you mean {near}?" if near else f"known are {', '.join(key.words)}"
        return Fault(where, f"{full} names {_shown(wrong)}, which nothing here can see", mend)
    return Fault(where, f"{full} must be {key.expected}, not {_shown(value)}")


def _nearest(full: str, prefix: str) -> str:
    """The name that was most likely meant: among its neighbours first, then anywhere."""
    depth = prefix.count(".")
    beside = sorted(
        {
            ".".join(each.split(".")[: depth + 1])
            for each in (*KEYS, *TABLES)
            if each.startswith(prefix)
        }
    )
    last = full.rpartition(".")[2].casefold()
    by_end = {each.rpartition(".")[2].casefold(): each for each in beside}
    if near := nearest(last, by_end):
        return f"did you mean {by_end[near]}?"
    everywhere = {
        each.rpartition(".")[2].casefold(): each for each in sorted((*KEYS, *TABLES), reverse=True)
    }
    if near := nearest(last, everywhere, 0.8):
        return f"did you mean {everywhere[near]}?"
    return (
        f"known here: {', '.join(by_end)}"
        if by_end
        else f"known are {', '.join(sorted(TABLES))[:300]}"
    )


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, list | dict):
        return _CALLED[type(value)]
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
