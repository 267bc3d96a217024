from __future__ import annotations

from podium.formats.markdown import scan
from podium.formats.outline import prose_of


def test_a_section_ends_at_the_next_heading_of_its_level_or_a_higher_one() -> None:
    outline = scan("# T\n\n## A\none\n### B\ntwo\n## C\nthree\n# D\n")
    section = outline.section("a")
    assert section is not None
    assert section.body == ((3, "one"), (5, "two"))
    assert [child.heading.title for child in section.subsections] == ["B"]


def test_a_title_is_found_without_case_spare_space_emphasis_and_colon() -> None:
    outline = scan("## **Validation   Result:**\nPass\n")
    assert outline.section(" validation result ") is not None


def test_all_sections_of_one_title_are_given_in_order() -> None:
    outline = scan("## A\none\n## A\ntwo\n")
    assert [section.body for section in outline.sections("A")] == [((1, "one"),), ((3, "two"),)]


def test_a_missing_section_is_none() -> None:
    assert scan("## A").section("B") is None


def test_the_preamble_ends_at_the_first_heading_below_the_title() -> None:
    assert scan("# T\nStatus: Ready\n## A\nStatus: no\n").preamble() == ((1, "Status: Ready"),)


def test_the_first_field_of_a_name_in_a_section_counts_and_code_has_none() -> None:
    section = scan(
        "## A\n\n```\nState: c\n```\n\nstate:  a\n**State:** b\n\n## B\nState: d\n"
    ).section("A")
    assert section is not None
    assert {name: each.value for name, each in section.fields.items()} == {"state": "a"}


def test_prose_is_told_without_blank_lines_around_it_and_spaces_behind_its_lines() -> None:
    assert prose_of(scan("\n\na  \n\n    code\nb\t\n\n").prose(0, 7)) == "a\n\nb"
