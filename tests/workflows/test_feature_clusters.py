"""The tables of the clusters: every combination against an oracle, and never better when a member
is worse.

Each table is asked for the full product of its members' states. A state is a status and a
severity; of the severities one for each class is taken, because the tables know a severity only
as "below the line" or "on or above it" (and Blocker for security). That every other word, known
or not, acts exactly as its class does is shown by putting it in place of the class's own word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

import pytest

from podium.workflows.feature.clusters.clusters import (
    CT_MEMBERS,
    R_MEMBERS,
    RESEARCH_MEMBERS,
    V_MEMBERS,
    Decided,
    Seen,
    decide_ct,
    decide_r,
    decide_research,
    decide_v,
)

STATUSES = ("DONE", "NEEDS_REVISION", "ERROR", "MISSING")
WORSE_STATUS = {
    "DONE": ("NEEDS_REVISION",),
    "NEEDS_REVISION": ("ERROR", "MISSING"),
    "ERROR": ("MISSING",),
    "MISSING": ("ERROR",),
}
RANK = {"DONE": 0, "NEEDS_REVISION": 1, "ERROR": 2}
CT_WORDS = ("None", "Medium", "High", "apocalyptic")
V_WORDS = ("PASS", "PARTIAL", "FAIL", "wobbly")
R_WORDS = ("None", "Minor", "Major", "Blocker")

State = tuple[str, str]
Table = Callable[[Iterable[Seen]], Decided]


def seen(members: Sequence[str], states: Sequence[State]) -> list[Seen]:
    return [Seen(member, *state) for member, state in zip(members, states, strict=True)]  # type: ignore[arg-type]


def everything(
    decide: Table, members: Sequence[str], words: Sequence[str]
) -> dict[tuple[State, ...], str]:
    states = list(product(STATUSES, words))
    return {row: decide(seen(members, row)).status for row in product(states, repeat=len(members))}


def oracle_research(states: Sequence[State]) -> str:
    return "DONE" if [status for status, _ in states].count("DONE") >= 2 else "ERROR"


def oracle_ct(states: Sequence[State]) -> str:
    if sum(status == "DONE" for status, _ in states) < 2:
        return "ERROR"
    return (
        "NEEDS_REVISION"
        if {"High", "apocalyptic"} & {severity for _, severity in states}
        else "DONE"
    )


V_TABLE = {
    "DDD": "DONE",
    "DDN": "NEEDS_REVISION",
    "DNN": "NEEDS_REVISION",
    "NNN": "NEEDS_REVISION",
    "DDE": "DONE",
    "DEN": "ERROR",
    "ENN": "ERROR",
    "DEE": "ERROR",
    "EEN": "ERROR",
    "EEE": "ERROR",
}


def oracle_v(states: Sequence[State]) -> str:
    if states[0] != ("DONE", "PASS"):
        return "ERROR"
    letters = (
        "E" if s in ("ERROR", "MISSING") else "D" if (s, w) == ("DONE", "PASS") else "N"
        for s, w in states[1:]
    )
    said = V_TABLE["".join(sorted(letters))]
    return (
        "NEEDS_REVISION" if said == "DONE" and any(word != "PASS" for _, word in states) else said
    )


def oracle_r(states: Sequence[State]) -> str:
    quality, security, testing, _ = states
    lost = [status in ("ERROR", "MISSING") for status, _ in (quality, security, testing)]
    if lost[1] or security[1] == "Blocker" or sum(lost) >= 2:
        return "ERROR"
    major = any(severity in ("Major", "Blocker") for _, severity in (quality, security, testing))
    asked = any(each == ("NEEDS_REVISION", "None") for each in (quality, security, testing))
    return "NEEDS_REVISION" if major or asked else "DONE"


TABLES = {
    "research": (decide_research, RESEARCH_MEMBERS, ("None", "apocalyptic"), oracle_research),
    "ct": (decide_ct, CT_MEMBERS, CT_WORDS, oracle_ct),
    "v": (decide_v, V_MEMBERS, V_WORDS, oracle_v),
    "r": (decide_r, R_MEMBERS, R_WORDS, oracle_r),
}


@pytest.fixture(scope="module")
def decided() -> Mapping[str, dict[tuple[State, ...], str]]:
    return {
        name: everything(decide, members, words)
        for name, (decide, members, words, _) in TABLES.items()
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_combination_is_as_the_oracle_says(
    name: str, decided: Mapping[str, dict[tuple[State, ...], str]]
) -> None:
    oracle = TABLES[name][3]
    assert {row: status for row, status in decided[name].items() if status != oracle(row)} == {}
    assert set(decided[name].values()) == ({"DONE", "ERROR"} if name == "research" else set(RANK))


def worsened(row: tuple[State, ...], words: Sequence[str]) -> Iterable[tuple[State, ...]]:
    """Each row in which exactly one member is one step worse."""
    for at, (status, severity) in enumerate(row):
        steps = [(worse, severity) for worse in WORSE_STATUS[status]]
        steps += [(status, worse) for worse in words[words.index(severity) + 1 :][:1]]
        for step in steps:
            yield (*row[:at], step, *row[at + 1 :])


def excused(before: tuple[State, ...], after: tuple[State, ...]) -> bool:
    """Where the rules as written let a verdict get better: who fails does not object, and a
    Minor is told.
    """
    (was, now) = next(each for each in zip(before, after, strict=True) if each[0] != each[1])
    return was[0] == "NEEDS_REVISION" and (
        now[0] in ("ERROR", "MISSING") or now == ("NEEDS_REVISION", "Minor")
    )


@pytest.mark.parametrize("name", TABLES)
def test_no_verdict_gets_better_when_one_member_gets_worse_unless_the_rules_say_so(
    name: str, decided: Mapping[str, dict[tuple[State, ...], str]]
) -> None:
    table, words = decided[name], TABLES[name][2]
    better = [
        (row, next_row)
        for row in table
        for next_row in worsened(row, words)
        if RANK[table[next_row]] < RANK[table[row]]
    ]
    assert [each for each in better if not excused(*each)] == []
    assert bool(better) == (name in {"v", "r"})


SAME = [
    *[("ct", word, "None") for word in ("", "none", " None ", "Low", "low")],
    *[("ct", word, "Medium") for word in ("Low", "**Medium**", "MEDIUM", "Medium — maybe")],
    *[("ct", word, "High") for word in ("Critical", "high", "High (likely)")],
    *[
        ("ct", word, "apocalyptic")
        for word in (
            "Critical",
            "Blocker",
            "Major",
            "Minor",
            "High/Low",
            "?",
            "Hïgh",
            "Critical/High",
        )
    ],
    *[("v", word, "PASS") for word in ("", "None", "pass", "Low", "Minor", "Medium")],
    *[
        ("v", word, "FAIL")
        for word in ("High", "Critical", "Blocker", "Major", "PASS/FAIL", "ok", "PARTIALLY", "x")
    ],
    *[("r", word, "None") for word in ("", "none")],
    *[("r", word, "Minor") for word in ("minor", "Minor: a nit")],
    *[("r", word, "Major") for word in ("major", "`Major`")],
    *[
        ("r", word, "Blocker")
        for word in ("Critical", "critical", "High", "Medium", "Low", "Info", "Major/Minor", "?")
    ],
]


@pytest.mark.parametrize(("name", "word", "representative"), SAME)
def test_every_word_acts_as_its_class_does(name: str, word: str, representative: str) -> None:
    decide, members, words, _ = TABLES[name]
    others = [
        ("DONE", words[0]),
        ("DONE", words[2]),
        ("NEEDS_REVISION", words[0]),
        ("MISSING", words[0]),
    ]
    for at, status in product(range(4), STATUSES):
        for rest in product(others, repeat=3):
            row = [*rest[:at], (status, word), *rest[at:]]
            twin = [*rest[:at], (status, representative), *rest[at:]]
            assert decide(seen(members, row)).status == decide(seen(members, twin)).status


def literal_v(states: Sequence[State]) -> str:
    """The rules of the verification as they are written, by statuses alone, in their order."""
    statuses = ["ERROR" if status == "MISSING" else status for status, _ in states]
    if statuses[0] != "DONE" or statuses.count("ERROR") >= 2:
        return "ERROR"
    if "NEEDS_REVISION" in statuses:
        return "ERROR" if "ERROR" in statuses else "NEEDS_REVISION"
    return "DONE"


def literal_r(states: Sequence[State]) -> str:
    """The rules of the review as they are written, in their order."""
    quality, security, testing, _ = states
    if security[0] in ("MISSING", "ERROR") or security == ("NEEDS_REVISION", "Blocker"):
        return "ERROR"
    if quality[0] in ("MISSING", "ERROR") and testing[0] in ("MISSING", "ERROR"):
        return "ERROR"
    present = [
        each for each in (quality, security, testing) if each[0] in ("DONE", "NEEDS_REVISION")
    ]
    return "NEEDS_REVISION" if any(each[1] in ("Major", "Blocker") for each in present) else "DONE"


def test_the_verification_is_as_its_rules_say_and_a_bad_document_makes_it_stricter(
    decided: Mapping[str, dict[tuple[State, ...], str]],
) -> None:
    for row, status in decided["v"].items():
        assert RANK[status] >= RANK[literal_v(row)]
        assert status == literal_v(row) or {severity for _, severity in row} != {"PASS"}


def test_the_review_is_as_its_rules_say_and_stricter_only_for_an_objection_to_nothing_and_findings_of_who_failed(  # noqa: E501
    decided: Mapping[str, dict[tuple[State, ...], str]],
) -> None:
    for row, status in decided["r"].items():
        literal, judges = literal_r(row), row[:3]
        assert RANK[status] >= RANK[literal]
        told = any(
            each in ("ERROR", "MISSING") and severity in ("Major", "Blocker")
            for each, severity in judges
        )
        assert (
            status == literal
            or ("NEEDS_REVISION", "None") in judges
            or told
            or row[1] == ("DONE", "Blocker")
        )


def test_knowledge_never_changes_the_review(
    decided: Mapping[str, dict[tuple[State, ...], str]],
) -> None:
    by_judges: dict[tuple[State, ...], set[str]] = {}
    for row, status in decided["r"].items():
        by_judges.setdefault(row[:3], set()).add(status)
    assert all(len(statuses) == 1 for statuses in by_judges.values())


@pytest.mark.parametrize(("decide", "members"), [(each[0], each[1]) for each in TABLES.values()])
def test_a_member_that_nobody_saw_is_missing(decide: Table, members: Sequence[str]) -> None:
    assert decide([]).status == "ERROR"
    for gone in members:
        present = [Seen(each, "DONE") for each in members if each != gone]
        assert decide(present).status == decide([*present, Seen(gone, "MISSING")]).status


@pytest.mark.parametrize(("decide", "members"), [(each[0], each[1]) for each in TABLES.values()])
def test_a_member_or_a_status_that_nobody_knows_counts_against_the_cluster(
    decide: Table, members: Sequence[str]
) -> None:
    good = [Seen(each, "DONE") for each in members]
    assert decide(good).status == "DONE"
    assert decide([*good, Seen("r-charm", "DONE")]) == Decided(
        "ERROR", "'r-charm' is not a member of this cluster"
    )
    odd = [Seen(each, "done") for each in members]  # type: ignore[arg-type]
    assert decide(odd).status == "ERROR"


@pytest.mark.parametrize("name", TABLES)
def test_the_order_of_the_members_does_not_matter_and_of_two_reports_the_worse_counts(
    name: str,
) -> None:
    decide, members, words, _ = TABLES[name]
    states = [("DONE", words[0]), ("DONE", words[-1]), ("ERROR", words[0]), ("DONE", words[1])]
    row = seen(members, states)
    assert decide(reversed(row)) == decide(row)
    good = [Seen(each, "DONE") for each in members]
    assert decide([*row, *good]).status == decide([*good, *row]).status == decide(row).status


def test_reasons_name_the_members_and_warnings_the_ones_that_gave_nothing() -> None:
    found = decide_ct(
        [
            Seen("ct-security", "DONE", "Critical"),
            Seen("ct-strategy", "DONE"),
            Seen("ct-scalability", "ERROR"),
        ]
    )
    assert found == Decided(
        "NEEDS_REVISION",
        "ct-security DONE with Critical",
        ("ct-scalability gave no result (ERROR)", "ct-maintainability gave no result (MISSING)"),
    )
    judges = [Seen("r-quality", "DONE"), Seen("r-security", "DONE"), Seen("r-testing", "DONE")]
    assert decide_r([*judges, Seen("r-knowledge", "NEEDS_REVISION")]) == Decided(
        "DONE", "3 of 4 members are done", ("r-knowledge gave no result (NEEDS_REVISION)",)
    )
    assert decide_v([]).reason == "v-build MISSING"
