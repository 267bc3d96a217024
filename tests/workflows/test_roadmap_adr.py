"""A decision record: every section, one status, and a word on the records before it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.roadmap.adr import (
    CONSEQUENCES,
    NO_PRIOR,
    SECTIONS,
    STATUSES,
    check_adr,
    compose_adr,
)

FACTS = {"Item": "US-7", "Date": "2026-04-20"}
GOOD = compose_adr({}, "", FACTS)


def test_what_is_composed_is_sound() -> None:
    assert check_adr(GOOD) == ()
    assert GOOD.startswith("# ADR-US-7: How US-7 is built\n")
    full = {
        "name": "ADR-012",
        "title": "Files",
        "status": "Proposed",
        "date": "2026-01-31",
        "related": ["ADR-003: supports"],
        "sections": {"Context": "Words.", "Decision": "Use files."},
    }
    text = compose_adr(full, "", {})
    assert check_adr(text) == ()
    assert "# ADR-012: Files" in text
    assert "- ADR-003: supports" in text
    assert "Use files." in text


def test_further_sections_of_a_template_are_there_too() -> None:
    text = compose_adr({}, "# ADR-XXX: [title]\n\n## CONTEXT\n\n## Rollout\n", FACTS)
    assert check_adr(text) == ()
    assert text.count("## Context") == 1
    assert "## Rollout\n\nNothing to add." in text


@pytest.mark.parametrize(
    ("given", "facts", "message"),
    [
        ({"titel": "x"}, FACTS, "unknown member 'titel'; did you mean 'title'?"),
        ({"related": "ADR-1"}, FACTS, "member 'related' has the wrong type str"),
        ({}, {"Item": "US-7"}, "needs a date"),
    ],
)
def test_a_record_that_cannot_be_composed_says_why(
    given: dict[str, object], facts: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        compose_adr(given, "", facts)


@pytest.mark.parametrize("title", SECTIONS)
def test_every_section_is_required_and_must_say_something(title: str) -> None:
    assert f"section '{title}' is missing" in check_adr(GOOD.replace(f"## {title}\n", "## Other\n"))
    before, _, rest = GOOD.partition(f"## {title}\n")
    after = "\n## " + rest.split("\n## ", 1)[1] if "\n## " in rest else ""
    assert f"section '{title}' is empty" in check_adr(
        f"{before}## {title}\n\n[what goes here]\n{after}"
    )
    assert any(
        title in fault
        for fault in check_adr(f"{before}## {title}\n\n```\nAccepted\n{NO_PRIOR}\n```\n{after}")
    )


@pytest.mark.parametrize("title", CONSEQUENCES)
def test_consequences_have_three_parts(title: str) -> None:
    assert f"section 'Consequences / {title}' is missing" in check_adr(
        GOOD.replace(f"### {title}", "### Other")
    )


LABELS = {
    "items": "- **Positive:** small\n- **Negative**: slow\n- Alternatives considered: a table\n",
    "paragraphs": (
        "**Positive**\n\n- small\n\n**Negative**\n\n- slow\n\n**Alternatives Considered**\n\n- a "
        "table\n"
    ),
}


def labelled(text: str) -> str:
    before, rest = GOOD.split("### Positive", 1)
    return f"{before}{text}\n## Status{rest.split('## Status', 1)[1]}"


@pytest.mark.parametrize("text", LABELS.values(), ids=LABELS)
def test_the_parts_of_the_consequences_may_be_labels(text: str) -> None:
    assert check_adr(labelled(text)) == ()
    assert check_adr(labelled(text.replace("slow", "[what is lost]"))) == (
        "section 'Consequences / Negative' is missing",
    )
    assert check_adr(labelled(text.replace("Negative", "Other"))) == (
        "section 'Consequences / Negative' is missing",
    )


@pytest.mark.parametrize(
    "status", [*STATUSES, "**Accepted**", "accepted", "- Accepted", "Superseded (by ADR-9)"]
)
def test_a_status_is_one_word_of_the_list(status: str) -> None:
    assert check_adr(GOOD.replace("\nAccepted\n", f"\n{status}\n")) == ()


@pytest.mark.parametrize(
    "status",
    [
        "Done",
        "Proposed | Accepted | Deprecated | Superseded",
        "Not Accepted",
        "Proposed\n\nAccepted",
    ],
)
def test_another_status_is_refused(status: str) -> None:
    (fault,) = check_adr(GOOD.replace("\nAccepted\n", f"\n{status}\n"))
    assert fault.endswith("it must be one of Proposed, Accepted, Deprecated, Superseded")


@pytest.mark.parametrize(
    "related", ["- ADR-003: supports", "See ADR-3.", "No prior ADR found for this scope."]
)
def test_earlier_records_are_named_or_said_to_be_none(related: str) -> None:
    assert check_adr(GOOD.replace(NO_PRIOR, related)) == ()


@pytest.mark.parametrize(
    "related",
    [
        "None",
        "no prior adr",
        "- ADR-US-7: this one",
        "- [ADR-00X]: supports, or so",
        "```\nADR-003\n```\nNone",
    ],
)
def test_silence_about_earlier_records_is_refused(related: str) -> None:
    (fault,) = check_adr(GOOD.replace(NO_PRIOR, related))
    assert fault == f'Related ADRs names no decision record; say "{NO_PRIOR}" if there is none'


@pytest.mark.parametrize(
    "title",
    ["# Decision", "# ADR-7", "# ADR-XXX: [Decision Title]", "## ADR-7: Files", "ADR-7: Files"],
)
def test_the_first_heading_names_the_record(title: str) -> None:
    faults = check_adr(GOOD.replace("# ADR-US-7: How US-7 is built", title))
    assert (
        "the first heading must be `# ADR-XXX: title`, with a number for XXX and a title" in faults
    )


@pytest.mark.parametrize("date", ["[YYYY-MM-DD]x", "yesterday", "2026-13-01", "20.4.2026"])
def test_a_date_is_a_date(date: str) -> None:
    (fault,) = check_adr(GOOD.replace("2026-04-20", date))
    assert fault.startswith("Date is")


def test_an_untouched_template_has_a_fault_for_every_part() -> None:
    blank = "# ADR-XXX: [title]\n" + "".join(f"\n## {title}\n\n[text]\n" for title in SECTIONS)
    assert len(check_adr(blank)) >= 1 + len(SECTIONS)
    assert len(check_adr("")) >= 1 + len(SECTIONS)


def test_a_section_that_stands_twice_is_refused() -> None:
    assert "section 'Status' stands there 2 times" in check_adr(
        GOOD + "\n## Status\n\nDeprecated\n"
    )


@settings(max_examples=100)
@given(
    st.text(max_size=60),
    st.sampled_from(STATUSES),
    st.lists(st.sampled_from(["ADR-1: supports", "ADR-2"]), max_size=2),
)
def test_any_title_gives_a_record_that_can_be_read(
    title: str, status: str, related: list[str]
) -> None:
    text = compose_adr({"title": f"x {title}", "status": status, "related": related}, "", FACTS)
    assert check_adr(text) == ()


@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [*(f"## {title}" for title in SECTIONS), "# ADR-1: x", "Accepted", "```", NO_PRIOR]
            ),
            st.text(max_size=10),
        ),
        max_size=20,
    )
)
def test_any_text_is_checked_without_a_crash(lines: list[str]) -> None:
    assert all(isinstance(fault, str) for fault in check_adr("\n".join(lines)))
