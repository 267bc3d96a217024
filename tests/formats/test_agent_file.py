from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import Fault, InputError
from podium.formats.agent_file import LARGEST, AgentFile, parse, reader_of
from podium.formats.agent_tools import ABILITIES

GITHUB, CLAUDE, OURS = ".github/agents/qa.agent.md", ".claude/agents/qa.md", ".podium/roles/qa.md"


def read(text: str, where: str = GITHUB) -> AgentFile:
    return parse(text.encode(), where)


def definition(head: str, body: str = "Look.\n") -> str:
    return f"---\nname: qa\ndescription: looks\n{head}---\n{body}"


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        (GITHUB, "copilot"),
        (".github/agents/any.md", "copilot"),
        ("elsewhere/x.agent.md", "copilot"),
        ("/h/.copilot/agents/x.md", "copilot"),
        (CLAUDE, "claude"),
        ("/home/a/.claude/agents/sub/x.md", "claude"),
        (".kimi-code/agents/x.md", "claude"),
        (OURS, "podium"),
        ("harness/roles/qa-agent.md", "podium"),
        ("notes.claude/agents.md", "podium"),
    ],
)
def test_the_place_of_a_file_says_whose_it_is(path: str, reader: str) -> None:
    assert reader_of(path) == reader


@pytest.mark.parametrize("where", [GITHUB, CLAUDE, OURS])
def test_the_body_is_the_definition_and_the_head_is_about_it(where: str) -> None:
    found = read(definition("color: red\n", "\n# QA\n\n---\n\nLook.\n"), where)
    assert found.body == "# QA\n\n---\n\nLook.\n"
    assert found.head == {"name": "qa", "description": "looks", "color": "red"}
    assert found.warnings == ()


@pytest.mark.parametrize("where", [GITHUB, CLAUDE, OURS])
def test_a_mark_at_the_beginning_and_foreign_line_ends_do_no_harm(where: str) -> None:
    plain = definition("tools: [Read]\n")
    assert parse(b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode(), where) == read(
        plain, where
    )
    assert parse(plain.replace("\n", "\r").encode(), where) == read(plain, where)


def test_no_tools_and_nothing_said_about_tools_are_not_the_same() -> None:
    assert (read(definition("")).tools, read(definition("")).abilities) == (None, ABILITIES)
    assert (read(definition("tools: []\n")).tools, read(definition("tools: []\n")).abilities) == (
        (),
        (),
    )


@pytest.mark.parametrize(
    "said", ["Read, Bash(a, b)", "[Read, 'Bash(a, b)']", "\n  - Read\n  - Bash(a, b)"]
)
def test_tools_are_a_list_or_a_text_with_commas(said: str) -> None:
    found = read(definition(f"tools: {said}\n"))
    assert (found.tools, found.abilities) == (("Read", "Bash(a, b)"), ("read", "execute"))


def test_tools_as_switches_are_read_too() -> None:
    assert read(definition("tools: {read: true, write: false}\n")).tools == ("read",)


def test_what_is_disallowed_is_taken_away_unless_it_is_only_a_part_of_a_tool() -> None:
    found = read(definition("disallowedTools: Write, Bash(rm:*)\n"))
    assert found.abilities == tuple(each for each in ABILITIES if each != "edit")


def test_a_tool_that_nobody_knows_is_kept_and_named() -> None:
    found = read(definition("tools: Read, Telepathy\n"))
    assert (found.abilities, found.unknown_tools) == (("read",), ("Telepathy",))


def test_models_are_one_or_several() -> None:
    assert read(definition("model: opus\n")).models == ("opus",)
    assert read(definition("model: [a, b]\n")).models == ("a", "b")
    assert read(definition("model: 3\n")).models == ()


@pytest.mark.parametrize(
    "head", ["note: Use when: x\n", "name: again\n", "list:\n\t- x\n", "tools: 3\n"]
)
def test_what_claude_code_shrugs_at_copilot_refuses(head: str) -> None:
    lenient = read(definition(head), CLAUDE)
    assert lenient.warnings
    assert lenient.body == "Look.\n"
    for where in (GITHUB, OURS):
        with pytest.raises(InputError, match=r"qa(\.agent)?\.md"):
            read(definition(head), where)


def test_a_refused_head_names_its_line_and_the_way_out() -> None:
    with pytest.raises(InputError, match=r"qa\.agent\.md:4: is not YAML.*in quotes"):
        read(definition("note: Use when: x\n"))


@pytest.mark.parametrize(("where", "said"), [(GITHUB, "Copilot"), (CLAUDE, "Claude Code")])
def test_without_a_head_all_of_it_is_the_definition_and_that_is_remarked_where_the_program_needs_one(  # noqa: E501
    where: str, said: str
) -> None:
    found = read("# QA\n", where)
    assert (found.body, found.head) == ("# QA\n", {})
    assert said in str(found.warnings[0])


def test_a_file_of_our_own_needs_no_head() -> None:
    assert read("# QA\n", OURS) == AgentFile("# QA\n")
    assert read("---\n# a line above the title\n", OURS).warnings == ()


def test_a_head_that_is_never_closed_is_remarked() -> None:
    found = read("---\nname: qa\n")
    assert found.body == "---\nname: qa\n"
    assert "never closed" in found.warnings[0].what


@pytest.mark.parametrize(
    ("where", "missing"), [(GITHUB, ["description"]), (CLAUDE, ["name", "description"]), (OURS, [])]
)
def test_what_its_program_needs_and_does_not_find_is_remarked(
    where: str, missing: list[str]
) -> None:
    found = read("---\ncolor: red\n---\nx", where)
    assert [each.what for each in found.warnings] == [f"the head has no {name}" for name in missing]


def test_a_definition_too_long_for_the_cloud_is_remarked() -> None:
    assert "30,000" in str(read(definition("", "x" * 30_001)).warnings[0])
    assert read(definition("", "x" * 30_001), CLAUDE).warnings == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\xff\xfe", "not UTF-8"), (b"a\0b", "NUL"), (b"x" * (LARGEST + 1), "bytes")],
)
def test_what_is_no_text_of_a_sensible_size_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse(data, OURS)


def test_a_value_that_is_no_text_is_no_text() -> None:
    found = read("---\ndescription: 3\n---\nx")
    assert found.text("description") == ""
    assert read(definition("")).text("description") == "looks"


_PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=120)


@settings(max_examples=80)
@given(_PLAIN, st.sampled_from([GITHUB, CLAUDE, OURS]))
def test_whatever_the_body_is_it_comes_back(body: str, where: str) -> None:
    assert read(definition("", body), where).body == body.lstrip("\n")


@settings(max_examples=80)
@given(st.binary(max_size=120), st.sampled_from([GITHUB, CLAUDE, OURS]))
def test_no_bytes_break_the_reader(data: bytes, where: str) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        parse(b"---\n" + data, where)
    except InputError as error:
        faults = error.faults
    assert all(each.where.startswith(where) for each in faults)
