"""The result for a document's rules: as data, as a table for the terminal, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.rules import Rule
from podium.importing.finding import Found
from podium.importing.matching import Matched, closeness, match_all

SAMPLE = 500


@dataclass(frozen=True)
class Report:
    """One document."""

    where: str
    workflow: str
    """The workflow whose rules it is closest to; empty if none."""
    rules: tuple[Matched, ...]
    remarks: tuple[str, ...] = ()
    """Remarks about the file other than its rules."""

    @property
    def enforceable(self) -> int:
        return sum(each.found.enforceable for each in self.rules)

    @property
    def mapped(self) -> int:
        """How many of those are covered by a rule with a test."""
        return sum(each.found.enforceable and each.rule is not None for each in self.rules)

    @property
    def share(self) -> float:
        return self.mapped / self.enforceable if self.enforceable else 1.0


def report(
    where: str,
    found: Sequence[Found],
    catalogues: Iterable[tuple[str, Sequence[Rule]]],
    remarks: tuple[str, ...] = (),
) -> Report:
    """The document compared with the catalogue it is closest to; the last catalogue stands for
    no workflow.
    """
    known = dict(catalogues)
    # The beginning of a long document says what it is about.
    close = {name: closeness(match_all(found[:SAMPLE], rules)) for name, rules in known.items()}
    best = max(close, key=lambda name: close[name]) if any(close.values()) else list(known)[-1]
    return Report(where, best, match_all(found, known[best]), remarks)


def standing(each: Matched) -> str:
    """What became of a rule, in the words of the report."""
    if each.rule is None:
        return each.standing
    doubt = "" if each.confidence == "sure" else " (likely)"
    return f"{each.standing}{doubt}"


def numbers(each: Matched) -> str:
    """The document's number and, if it differs, that of the rule with the policy that sets it."""
    said = (
        ", ".join(f"{number:g}" for number in dict.fromkeys(each.found.numbers))
        if each.found.kind == "limit"
        else ""
    )
    rule = each.rule
    if rule is None or each.standing != "other number":
        return said
    return f"{said}; here {rule.number:g}" + (f", policy {rule.policy}" if rule.policy else "")


def data(made: Report) -> dict[str, Any]:
    return {
        "file": made.where,
        "workflow": made.workflow or None,
        "remarks": list(made.remarks),
        "summary": summary(made),
        "rules": [_one(each) for each in made.rules],
    }


def summary(made: Report) -> dict[str, Any]:
    counts = Counter(each.standing for each in made.rules)
    return {
        "found": len(made.rules),
        "enforceable": made.enforceable,
        "mapped": made.mapped,
        "share": round(made.share, 3),
        **{
            name.replace(" ", "_"): counts[name]
            for name in ("enforced", "other number", "not enforced", "advisory")
        },
    }


def _one(each: Matched) -> dict[str, Any]:
    rule = each.rule
    return {
        "line": each.found.line,
        "kind": each.found.kind,
        "enforceable": each.found.enforceable,
        "quote": each.found.quote,
        "numbers": list(each.found.numbers),
        "standing": each.standing,
        "confidence": each.confidence or None,
        "rule": rule.id if rule else None,
        "says": rule.says if rule else None,
        "test": rule.test if rule else None,
        "number": rule.number if rule else None,
        "policy": (rule.policy or None) if rule else None,
    }


def headline(made: Report) -> str:
    about = f"closest to `{made.workflow}`" if made.workflow else "about no workflow in particular"
    part = (
        f"{made.mapped} of {made.enforceable} enforceable rules"
        if made.enforceable
        else "no enforceable rule"
    )
    held = (
        f"{part} are held by a rule with a test ({made.share:.0%})"
        if made.enforceable
        else f"{part} found"
    )
    return f"{len(made.rules)} rules found, {about}; {held}"


def table(made: Report) -> str:
    """One line per rule, in columns."""
    rows = [
        (
            str(each.found.line),
            each.found.kind,
            standing(each),
            each.rule.id if each.rule else "-",
            numbers(each),
            each.found.quote,
        )
        for each in made.rules
    ]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(5)]
    lines = [
        "  ".join(
            [*(f"{word:<{width}}" for word, width in zip(row[:5], widths, strict=True)), row[5]]
        ).rstrip()
        for row in rows
    ]
    return "\n".join(
        [
            f"{made.where}: {headline(made)}",
            *(f"  note: {each}" for each in made.remarks),
            *(f"  {line}" for line in lines),
        ]
    )


def markdown(made: Report, title: str) -> str:
    """A page: what is enforced and how, what is not, and what is advice."""
    parts = [
        f"# {title}\n",
        f"{headline(made)[0].upper()}{headline(made)[1:]}.\n",
        *(f"{each}\n" for each in made.remarks),
    ]
    held = [each for each in made.rules if each.rule is not None]
    named = list(dict.fromkeys(each.rule for each in held if each.rule is not None))
    if named:
        parts += [
            "## Rules that hold\n",
            *(_rule(rule, [each for each in held if each.rule is rule]) for rule in named),
        ]
    for title_of, wanted in (("Not enforced", "not enforced"), ("Advice", "advisory")):
        rest = [each for each in made.rules if each.standing == wanted]
        if rest:
            parts += [
                f"## {title_of}\n",
                "".join(
                    f"- line {each.found.line} ({each.found.kind}): {_quoted(each)}\n"
                    for each in rest
                ),
            ]
    return "\n".join(parts)


def _rule(rule: Rule, places: Sequence[Matched]) -> str:
    number = (
        f" Number: {rule.number:g}" + (f", policy `{rule.policy}`." if rule.policy else ".")
        if rule.number is not None
        else ""
    )
    policy = f" Policy `{rule.policy}`." if rule.policy and not number else ""
    head = f"### {rule.id}\n\n{rule.says}{number}{policy} Shown by `{rule.test}`.\n\n"
    return head + "".join(
        f"- line {each.found.line} ({_told(each)}): {_quoted(each)}\n" for each in places
    )


def _told(each: Matched) -> str:
    extra = [
        each.found.kind,
        *(["likely"] if each.confidence == "likely" else []),
        *([numbers(each)] if each.standing == "other number" else []),
    ]
    return ", ".join(extra)


def _quoted(each: Matched) -> str:
    plain = each.found.quote.replace("\\", "\\\\")
    for sign in "`*_<>[]#|":
        plain = plain.replace(sign, f"\\{sign}")
    return f"“{plain}”"
