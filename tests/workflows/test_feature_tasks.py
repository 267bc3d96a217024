from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from podium.formats.structure import check, structure_of
from podium.workflows.feature.plan.compose import compose_task, told_task
from podium.workflows.feature.plan.task_files import elsewhere, files_in, is_production, outside
from podium.workflows.feature.plan.tasks import (
    TASK_SECTIONS,
    ReadTask,
    Task,
    all_ticked,
    only_ticks,
    read_task,
    unticked,
)

PATH = "docs/feature/words/tasks/03-parser.md"
HEADINGS = """# Task 03: the parser

## Task Goal

Words are counted
in every file.

## Depends On

- 01-reader
- 02

## Agent

documentation-writer

## In-scope

- `src/words.py` — the counter
- src/cli.py (one option)
- tests/test_words.py
- README.md

## Out-of-scope

- Numbers

## Acceptance Criteria

- [ ] An empty file
  has no words
- [x] Files: are read once
- spaces do not count

## Estimated Effort

Medium (about 200–350 lines)

## Test Requirements

1. One for each criterion

## Implementation Steps

1. Write the test
2. Write the code

## Completion Checklist

- [ ] Tests pass
"""
BOLD = """# Task 03

**Task Goal:** Words are counted
in every file.
**depends_on:** 01-reader, 02
**agent:** `documentation-writer`
**In-scope:**
- `src/words.py` — the counter
- src/cli.py (one option)
- tests/test_words.py
- README.md
**Out-of-scope:** Numbers
**Notes:** none of them count
**Acceptance Criteria:**
- [ ] An empty file
  has no words
- [x] Files: are read once
- spaces do not count

**Estimated Effort:** Medium
**Estimated Lines:** ~350
**Test Requirements:** One for each criterion
**Implementation Steps:**
1. Write the test
2. Write the code
**Completion Checklist:**
- [ ] Tests pass
"""
PLAIN = """---
depends_on: [01-reader, "02"]
agent: documentation-writer
estimated_lines: 350
effort: medium
---

- **Task Goal:** Words are counted in every file.
- **Files:** `src/words.py`, `src/cli.py`, `tests/test_words.py`, `README.md`
- **Out-of-scope:** Numbers
- **Acceptance Criteria:**
  - An empty file has no words
  - Files: are read once
  - spaces do not count
- **Test Requirements:** One for each criterion

Implementation Steps:

1. Write the test
2. Write the code

Completion Checklist:

- [ ] Tests pass
"""
EXPECTED = Task(
    id="03-parser",
    path=PATH,
    goal="Words are counted in every file.",
    depends_on=("01-reader", "02"),
    agent="documentation-writer",
    files=("src/words.py", "src/cli.py", "tests/test_words.py", "README.md"),
    effort="Medium",
    lines=350,
    criteria=("An empty file has no words", "Files: are read once", "spaces do not count"),
    out_of_scope=("Numbers",),
    tests=("One for each criterion",),
    steps=("Write the test", "Write the code"),
    checklist=("Tests pass",),
)


@pytest.mark.parametrize("text", [HEADINGS, BOLD, PLAIN, HEADINGS.replace("\n", "\r\n")])
def test_a_task_reads_the_same_with_headings_bold_keys_and_plain_keys(text: str) -> None:
    assert read_task(PATH, text) == ReadTask(EXPECTED)


def test_only_production_files_count_as_such() -> None:
    assert EXPECTED.production == ("src/words.py", "src/cli.py")


def faults(text: str, path: str = PATH) -> str:
    return "\n".join(read_task(path, text).faults)


def lacks(text: str) -> str:
    return "\n".join(read_task(PATH, text).lacks)


def test_every_missing_part_is_named_at_once_and_none_is_a_fault() -> None:
    found = lacks("# Nothing here\n")
    assert faults("# Nothing here\n") == ""
    for title in TASK_SECTIONS:
        assert f"{PATH}: {title} is missing" in found


def test_labels_in_code_quotes_and_comments_are_none() -> None:
    for hidden in (
        f"```\n{HEADINGS}```\n",
        "> " + HEADINGS.replace("\n", "\n> "),
        f"<!--\n{HEADINGS}-->\n",
    ):
        assert lacks(hidden).count("is missing") == len(TASK_SECTIONS)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("- 01-reader\n- 02", "", "03-parser.md:8: depends_on is empty"),
        (
            "- 01-reader\n- 02",
            "02\n\n**depends_on:** 01",
            "depends_on stands there twice and differs",
        ),
        (
            "documentation-writer",
            "implementer\n\nagent: planner",
            "two agents: implementer, planner",
        ),
        ("Words are counted\nin every file.", "", "03-parser.md:3: Task Goal is empty"),
        ("Words are counted\nin every file.", "TBD", "Task Goal is empty"),
        ("Medium (about 200–350 lines)", "Two days", "Estimated Effort is 'Two days'"),
        (
            "Medium (about 200–350 lines)",
            "Low\n\nEstimated Lines: many",
            "estimated lines say 'many'",
        ),
    ],
)
def test_a_part_that_says_nothing_usable_is_told_and_is_no_fault(
    old: str, new: str, fault: str
) -> None:
    assert old in HEADINGS
    assert fault in lacks(HEADINGS.replace(old, new))
    assert faults(HEADINGS.replace(old, new)) == ""


def test_a_dependency_that_is_no_id_is_a_fault_because_it_may_hide_one() -> None:
    text = HEADINGS.replace("- 01-reader\n- 02", "all of them")
    assert "depends_on says 'all', which is not a task id" in faults(text)


def test_criteria_that_say_nothing_are_no_criteria() -> None:
    before, _, rest = HEADINGS.partition("## Acceptance Criteria")
    after = rest.partition("## Estimated Effort")[2]
    text = f"{before}## Acceptance Criteria\n\n- [ ]\n- none\n- ...\n\n## Estimated Effort{after}"
    assert "Acceptance Criteria holds no criterion" in lacks(text)


def test_the_name_of_the_file_is_checked() -> None:
    assert "tasks/parser.md: is not the name of a task file" in faults(HEADINGS, "tasks/parser.md")


@pytest.mark.parametrize(
    ("said", "effort", "lines"),
    [
        ("Low", "Low", None),
        ("**medium** — two hours", "Medium", None),
        ("Low/Medium", "Medium", None),
        ("Medium to High", "High", None),
        ("High", "High", None),
        ("Low (1,200 lines)", "Low", 1200),
        ("Low, ~1.5k LOC", "Low", 1500),
        ("Low, 400-600 production lines", "Low", 600),
        ("- Low", "Low", None),
        ("Small", "Low", None),
        ("moderate", "Medium", None),
        ("Large", "High", None),
        ("XL", "High", None),
        ("very high", "High", None),
    ],
)
def test_of_an_estimate_the_larger_end_counts(said: str, effort: str, lines: int | None) -> None:
    found = read_task(PATH, HEADINGS.replace("Medium (about 200–350 lines)", said))
    assert found == ReadTask(replace(EXPECTED, effort=effort, lines=lines))


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("- `src/a.py`", ["src/a.py"]),
        ("- ./src/a.py", ["src/a.py"]),
        ("- [ ] src/a.py, src/b.py", ["src/a.py", "src/b.py"]),
        ("- **src/a.py**: new", ["src/a.py"]),
        ("- Change the parser in src/a.py and src/b.py.", ["src/a.py", "src/b.py"]),
        ("| src/a.py | new |", ["src/a.py"]),
        ("- [the parser](src/a.py)", ["src/a.py"]),
        ("- Makefile", ["Makefile"]),
        ("- `setup.cfg` and `json.loads`", ["setup.cfg"]),
        ("- src/**", ["src/**"]),
        ("- __init__.py", ["__init__.py"]),
        ("- all of **/a.py", ["**/a.py"]),
        ("- reading and/or writing", []),
        ("- n/a", []),
        ("- the route /users", []),
        ("- see https://example.org/a.html", []),
        ("- `GET /users`", []),
        ("- `/etc/passwd`", ["/etc/passwd"]),
        ("- /etc/passwd", ["/etc/passwd"]),
        ("- also touch ../other/x and ~/x", ["../other/x", "~/x"]),
        ("- and .git/hooks/pre-commit too", [".git/hooks/pre-commit"]),
        (r"- put it in C:\temp\x", [r"C:\temp\x"]),
    ],
)
def test_the_files_of_a_scope_are_found_in_lists_and_prose(line: str, paths: list[str]) -> None:
    assert list(files_in([line])) == paths


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "//host/x", "../x", "a/../../x", "a/..", "~/x", "~root/x", "~"),
        *("C:/x", "c:\\x", "a\\..\\b", "\\\\host\\x", "file:///etc/x", "a\x07b", "a\u202eb/../x"),
        *(
            ".git/config",
            "a/.git/config",
            ".GIT/x",
            ".git./x",
            ".g\u200bit/x",
            ".podium/state.json",
            "git~1/x",
            ".git",
        ),
    ],
)
def test_paths_out_of_the_repository_are_refused(path: str) -> None:
    assert outside(path)


@pytest.mark.parametrize(
    "path",
    ["src/a.py", ".github/x.yml", ".gitignore", "a..b/c", "src/[id].tsx", "a/b/", "größe.py"],
)
def test_paths_of_the_repository_are_not(path: str) -> None:
    assert outside(path) == ""


@pytest.mark.parametrize(
    ("path", "production"),
    [
        ("t/basic.t", False),
        ("xt/pod.t", False),
        ("src/a.py", True),
        ("src/contest.py", True),
        ("requirements.txt", True),
        ("tests/a.py", False),
        ("src/__tests__/a.js", False),
        ("src/test_a.py", False),
        ("src/a_test.go", False),
        ("src/a.spec.ts", False),
        ("src/WordsTest.java", False),
        ("README.md", False),
        ("docs/conf.py", False),
    ],
)
def test_tests_and_documents_are_not_production(path: str, production: bool) -> None:
    assert is_production(path) is production


def test_places_of_the_tools_are_seen_anywhere_in_a_task() -> None:
    text = (
        "1. Append to `.git/hooks/pre-commit`.\n\n```\ncp x ~/bin/x\n```\n\nRead .gitignore and "
        "../x.\n"
    )
    assert elsewhere(text) == (".git/hooks/pre-commit", "~/bin/x")


def test_a_composed_task_is_sound_also_under_a_template_of_a_team() -> None:
    template = "# T\n\nTask: {{T}}\n\n## Goal\n\n## Dependencies\n\n## Agent\n\n## Risks\n"
    members = {"depends_on": ["01"], "files": ["src/a.py"], "criteria": ["It runs"], "lines": 20}
    for text in (
        compose_task({}, "", {}),
        compose_task(members, template, {"Task": "x", "Task ID": "03-parser"}),
    ):
        found = read_task(PATH, text)
        assert (found.faults, found.lacks) == ((), ())
    assert check(text, structure_of(template), template) == ()
    task = found.task
    assert (task.depends_on, task.files, task.criteria, task.lines) == (
        ("01",),
        ("src/a.py",),
        ("It runs",),
        20,
    )
    assert "Risks" in told_task(template)[0]


def test_unknown_members_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="unknown member 'file'; did you mean 'files'"):
        compose_task({"file": []}, "", {})


@given(text=st.text(alphabet=st.sampled_from("#-*`|[](): \n\tdepnsox0123><!/.~_—"), max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    read_task(PATH, text)
    read_task(PATH, f"## In-scope\n{text}\n## Estimated Effort\n{text}")
    elsewhere(text)
    for path in files_in(text.splitlines()):
        outside(path)


BOXES = (
    "# T\n\n- [ ] one\n  * [x] two\n1. [X] three\n- [ ]\n\n```\n- [ ] code\n```\n\n> - [ ] quote\n"
    "\n[ ] prose\n"
)


def test_ticking_boxes_either_way_is_allowed() -> None:
    after = (
        "# T\n\n- [x] one\n  * [ ] two\n1. [x] three\n- [X]\n\n```\n- [ ] code\n```\n\n> - [ ] "
        "quote\n\n[ ] prose\n"
    )
    assert only_ticks(BOXES, after) == ()
    assert only_ticks(BOXES, BOXES) == ()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("- [ ] one", "- [x] on", "line 3 changed"),
        ("- [ ] one", "* [x] one", "line 3 changed"),
        ("- [ ] one", "- [-] one", "line 3 changed"),
        ("- [ ] one", "-  [x] one", "line 3 changed"),
        ("- [ ] one\n", "- [x] one\r\n", "line 3 changed"),
        ("- [ ] code", "- [x] code", "line 9 changed"),
        ("- [ ] quote", "- [x] quote", "line 12 changed"),
        ("[ ] prose", "[x] prose", "line 14 changed"),
        ("prose\n", "prose", "line 14 changed"),
        ("# T\n", "# T\n\n", "14 lines became 15, first different at line 3"),
        ("prose\n", "prose\nmore\n", "first different at line 15"),
    ],
)
def test_any_other_change_is_named_with_its_line(old: str, new: str, fault: str) -> None:
    assert old in BOXES
    assert fault in "\n".join(only_ticks(BOXES, BOXES.replace(old, new)))


def test_many_changes_are_counted() -> None:
    before = "".join(f"line {number}\n" for number in range(20))
    found = only_ticks(before, before.replace("line", "row"))
    assert len(found) == 6
    assert found[-1] == "15 more lines changed"


@pytest.mark.parametrize(
    ("text", "ticked"),
    [
        ("- [x] a\n- [X] b\n", True),
        ("- [x] a\n- [ ] b\n", False),
        ("- a\n", False),
        ("", False),
        ("- [x] a\n\n```\n- [ ] code\n```\n", True),
        ("1. [x] a [ ] b\n", True),
    ],
)
def test_a_task_is_ticked_off_when_it_has_boxes_and_none_is_open(text: str, ticked: bool) -> None:
    assert all_ticked(text) is ticked


def test_without_its_ticks_a_file_says_the_same_and_a_box_outside_of_a_list_is_none() -> None:
    assert unticked(BOXES) == BOXES.replace("[x] two", "[ ] two").replace("[X] three", "[ ] three")
    assert unticked("a[x] = 1\n\n```\n- [x] code\n```\n") == "a[x] = 1\n\n```\n- [x] code\n```\n"


@given(
    st.text(alphabet="-*1.) [xX]\n`>a", max_size=80),
    st.text(alphabet="-*1.) [xX]\n`>a", max_size=80),
)
@settings(max_examples=80, deadline=None)
def test_two_texts_are_the_same_without_ticks_exactly_when_only_ticks_differ(
    one: str, two: str
) -> None:
    assert not only_ticks(one, unticked(one))
    assert (not only_ticks(one, two)) == (unticked(one) == unticked(two))


WORDS = st.from_regex(r"[a-z][a-z ]{0,10}", fullmatch=True)


@given(
    st.lists(
        st.tuples(WORDS, st.sampled_from(" xX"), st.sampled_from(" xX")), min_size=1, max_size=6
    ),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_exactly_the_ticks_may_change(
    boxes: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    before = "# T\n\n" + "".join(f"- [{one}] {text}\n" for text, one, _ in boxes)
    after = "# T\n\n" + "".join(f"- [{two}] {text}\n" for text, _, two in boxes)
    assert only_ticks(before, after) == ()
    assert unticked(before) == unticked(after)
    at = data.draw(st.integers(0, len(after)))
    added = data.draw(st.text(alphabet="abc[]-x \n", min_size=1, max_size=3))
    assert only_ticks(before, after[:at] + added + after[at:])


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_texts_that_differ_in_more_are_never_accepted(before: str, after: str) -> None:
    assume(before != after)
    if not only_ticks(before, after):
        assert len(before) == len(after)
        assert {(one, two) for one, two in zip(before, after, strict=True) if one != two} <= {
            (one, two) for one in " xX" for two in " xX"
        }
