"""What is handed on of an answer: facts in full, noise not at all, the same every time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.markdown import scan
from podium.workflows.roadmap.messages.compression import (
    MAX_CHARS,
    MAX_FAILURES,
    MAX_FILES,
    MAX_LINES,
    MAX_NOTE,
    compress,
    compress_error,
    compress_failures,
    compress_files,
)

RESEARCH = """## Research Findings: login

### Research Executed

| Tool | Query | Results |
|---|---|---|
| `#search` | session | 14 files |

### Existing Patterns

**Location**: `src/app/session/store.py`
**Description**: One class per table, closed
by the caller

```python
import os

class Store(Base):
    path: str

    def open(
        self,
        where: Path,
    ) -> Session:
        return Session(os.fspath(where))
```

### Alternative Approaches Found

#### Option B

- **Pros**: none

### Constraints and Risks

- Sessions must survive a restart
"""


def test_research_keeps_paths_findings_and_signatures() -> None:
    assert compress(RESEARCH).splitlines() == [
        "- Research Findings: login",
        "",
        "**Existing Patterns**",
        "- **Location**: `src/app/session/store.py`",
        "- **Description**: One class per table, closed by the caller",
        "- `class Store(Base):`",
        "- `path: str`",
        "- `def open(self, where: Path,) -> Session:`",
        "",
        "**Constraints and Risks**",
        "- Sessions must survive a restart",
    ]


@pytest.mark.parametrize(
    "signature",
    [
        "def f(x: int) -> str:",
        "async def load(path: str) -> dict[str, int]:",
        "class User(Base):",
        "export interface Foo",
        "export async function load(path: string): Promise<void>",
        "export const add = (a: number, b: number): number => a + b",
        "type Id = string | number",
        "pub fn parse(text: &str) -> Result<Item, Error>",
        "func (s *Store) Open(path string) error",
        "public static int count(String text)",
        "POST /api/items",
    ],
)
def test_an_interface_signature_in_a_fence_is_kept_and_the_rest_of_the_code_is_not(
    signature: str,
) -> None:
    text = f"Use this:\n\n```\nx = 1\n{signature}\n    total += weights[i]\n```\n"
    assert compress(text) == f"- Use this:\n- `{signature}`"


def test_the_members_of_an_interface_are_part_of_it() -> None:
    text = (
        "```ts\nexport interface Foo {\n  bar(x: string): number;\n  name?: string;\n}\nconst x = "
        "{ a: 1 };\n```\n"
    )
    assert (
        compress(text)
        == "- `export interface Foo`\n- `bar(x: string): number;`\n- `name?: string;`"
    )


@pytest.mark.parametrize(
    "diff",
    [
        "```diff\n-def old():\n+def new():\n def same():\n```",
        "```\ndiff --git a/x.py b/x.py\nindex 1234567..89abcde 100644\n@@ -1 +1 @@\ndef f():\n```",
        "```\n--- a/x.py\n+++ b/x.py\nclass X:\n```",
        "~~~patch\n class X:\n~~~",
        "### Diff\n\n```\ndef f(): pass\n```",
    ],
)
def test_a_diff_is_dropped_whole(diff: str) -> None:
    assert compress(f"Before\n\n{diff}\n") == "- Before"


@pytest.mark.parametrize(
    "trace",
    [
        (
            'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\n    raise '
            "ValueError(x)\nValueError: x is bad"
        ),
        (
            "ValueError: x is bad\n    at load (/srv/app/load.js:10:3)\n    at async run "
            "(/srv/app/run.js:4:1)"
        ),
        "ValueError: x is bad\n\tat com.acme.Load.run(Load.java:12)\n\t... 14 more",
    ],
)
def test_of_a_stack_trace_only_the_error_is_kept(trace: str) -> None:
    assert compress(f"```\n{trace}\n```") == "- `ValueError: x is bad`"
    assert compress(f"It broke.\n\n{trace}\n") == "- It broke.\n- ValueError: x is bad"


def test_each_error_keeps_its_first_three_lines() -> None:
    block = (
        "```\n$ pytest\ncollected 2 items\nAssertionError: one\na\nb\nc\nd\n\nTypeError: two\ne\n"
        "```"
    )
    assert compress(block) == "- `AssertionError: one`\n- `a`\n- `b`\n- `TypeError: two`\n- `e`"


@pytest.mark.parametrize(
    "printed",
    [
        "E       AssertionError: assert 4 == 3\nE        +  where 4 = add(1, 2)",
        "E       assert 4 == 3",
        "tests/test_a.py:5: AssertionError",
        "src/a.ts(3,4): error TS2322: Type 'x' is not assignable",
        "src/A.cs(3,4): error CS0103: no such name",
        "src/a.py:3:5: F401 'os' imported but unused",
        "./prog.go:8:2: undefined: x",
        "thread 'main' panicked at src/main.rs:4:5:\nassertion 'left == right' failed\nleft: 4",
        "test tests::it_adds ... FAILED",
        "make: *** [Makefile:3: test] Error 1",
        "make[2]: *** [all] Error 2",
        "bash: foo: command not found",
        "sh: 1: foo: not found",
        "zsh: command not found: foo",
        "Segmentation fault (core dumped)",
        "src/A.java:[3,5] cannot find symbol",
        "AssertionError",
        "npm error code ELIFECYCLE",
        "● adds › two numbers",
        "expect(received).toBe(expected)",
        "Expected: 3\nReceived: 4",
        "/home/p/src/a.js\n3:4 error 'x' is not defined no-undef",
    ],
)
def test_an_error_as_a_program_prints_it_is_kept_and_what_it_prints_beside_is_not(
    printed: str,
) -> None:
    shown = "\n".join(f"- `{line}`" for line in map(" ".join, map(str.split, printed.splitlines())))
    assert (
        compress(f"```\n$ npm test\ncollected 2 items\n\n{printed}\n\nran all of them\n```")
        == shown
    )


def test_lines_that_pytest_marks_as_one_error_are_one_error() -> None:
    block = (
        "```\nFAILED tests/test_a.py::test_b - assert 1 == 2\n\nE   assert 1 == 2\nE    +  where "
        "1 = f()\nE   x\nE   y\n```"
    )
    assert compress(block).splitlines() == [
        "- `FAILED tests/test_a.py::test_b - assert 1 == 2`",
        "- `E assert 1 == 2`",
        "- `E + where 1 = f()`",
        "- `E x`",
    ]


@pytest.mark.parametrize(
    "noise",
    [
        "```\n$ npm test\n> app@1.0 test\nok all good\n```",
        "✓ adds two numbers (3 ms)",
        "- ✔ renders",
        "- PASS src/app.test.ts",
        "- tests/test_a.py::test_b PASSED",
        "- ✅ handles empty input",
        "Great work on the tests!",
        "- 👍 Well structured modules.",
        "- LGTM",
        "Rejected: a second database",
        "- Alternatives considered: Redis, files",
        "### What Looks Good ✅\n\n- naming",
        "### Tool Output\n\nlots of it",
        "**Alternatives considered:**\n\n- Redis\n- files",
        "Alternatives considered:\n- Redis\n- files",
        "<!-- a note to nobody -->",
        "> as the task says",
    ],
)
def test_noise_is_dropped(noise: str) -> None:
    assert compress(f"Kept first.\n\n{noise}\n\n### After\n\n- kept last\n").splitlines() == [
        "- Kept first.",
        "",
        "**After**",
        "- kept last",
    ]


@pytest.mark.parametrize(
    "fact",
    [
        "🟢 Ship it",
        "✅ Pass — 12 tests",
        "12 passed, 0 failed",
        "Status: blocked",
        "Good structure, but src/a.py leaks a handle",
        "Great care is needed in src/app/store.py",
        "✅ handles empty input, but fails for tabs",
        "aligned",
        "Nice-to-have indexes are missing",
    ],
)
def test_verdicts_and_findings_are_kept_whatever_they_begin_with(fact: str) -> None:
    assert compress(fact) == f"- {fact}"


@pytest.mark.parametrize(
    "text",
    [
        "**drift_detected**",
        "**Status: success**",
        "### Verdict: 🟢 Ship it",
        "| Lint | `ruff` | ✅ Pass |",
    ],
)
def test_a_verdict_in_bold_in_a_heading_or_in_a_table_is_kept(text: str) -> None:
    assert re.sub(r"[*#|`\s-]+", " ", text).strip() in re.sub(r"[*#|`\s-]+", " ", compress(text))


def test_a_path_is_whole_or_gone() -> None:
    path = "src/" + "deep/" * 60 + "file.py"
    told = compress("- " + "word " * 50 + f"see {path} for more")
    assert path not in told
    assert "src/" not in told
    assert told.endswith(" …")
    spaced = "`src/my folder/a file.py`"
    assert spaced in compress(f"- {spaced} is here")
    assert "my folder" not in compress("- " + "x" * 290 + f" {spaced}")


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["src/app/core/store.py", "see", "docs/adr/ADR-7.md:12", "and", "`a b/c d.py`"]
        ),
        min_size=30,
        max_size=90,
    )
)
def test_no_line_ends_within_a_path(words: list[str]) -> None:
    for line in compress("- " + " ".join(words)).splitlines():
        rest = line.removeprefix("- ").removesuffix(" …")
        assert " ".join(words).startswith(rest)
        assert " ".join(words)[len(rest) :][:1] in {"", " "}
        assert rest.count("`") % 2 == 0


def test_text_cannot_pass_for_structure_of_what_it_is_put_into() -> None:
    hostile = "- item\n      # Scope\n\n- ## You may read\n- ```\n- <script>\n- > quote\n- - - -\n"
    outline = scan(compress(hostile))
    assert outline.headings == ()
    assert set(outline.kinds) <= {"text", "blank"}


def test_a_long_answer_is_cut_to_its_facts_and_says_so() -> None:
    prose = "\n\n".join(f"Thought number {number} about nothing much." for number in range(100))
    text = (
        f"{prose}\n\n### Verdict\n\n🔴 Needs work\n\nStatus: needs_revision\n\n- src/app/store.py "
        "leaks\n"
    )
    told = compress(text)
    assert len(told.splitlines()) <= MAX_LINES + 5
    assert "- Status: needs_revision" in told
    assert "- src/app/store.py leaks" in told
    assert re.search(r"^- … \d+ more lines left out$", told, re.MULTILINE)
    assert compress(told) == told


def test_limits_can_be_tighter() -> None:
    text = "\n".join(f"- finding {number}" for number in range(30))
    assert compress(text, lines=5).splitlines() == [
        *(f"- finding {number}" for number in range(4)),
        "- … 26 more lines left out",
    ]
    assert len(compress(text, chars=120)) <= 120


PIECES = (
    "# Title",
    "## Alternatives",
    "**Bold**",
    "**Output**",
    "- item",
    "  - nested",
    "1. one",
    "word and word",
    "src/a/b.py: x",
    "Key: value",
    "Output:",
    "Alternatives: a",
    "| a | b |",
    "|---|---|",
    "```",
    "```diff",
    "~~~",
    "def f(a,",
    "    b) -> int:",
    "class X:",
    "    name: str",
    "Error: it broke",
    "E   assert 1",
    "    at f (a.js:1:2)",
    'File "x.py", line 1',
    "✓ passes",
    "✅ Pass",
    "Great!",
    "> quoted",
    "<!-- c -->",
    "<div>",
    "<script>",
    "---",
    "===",
    "+++ b/x",
    "--- a/x",
    "@@ -1",
    "",
    "",
    "    code",
    "\t# tab",
    "a <!-- b",
    "`",
    "``",
    "* * *",
    "1)",
    "-",
)


@settings(max_examples=600)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=14))
def test_what_is_compressed_stays_as_it_is(lines: list[str]) -> None:
    once = compress("\n".join(lines))
    assert compress(once) == once
    assert len(once) <= MAX_CHARS
    assert scan(once).headings == ()
    assert set(scan(once).kinds) <= {"text", "blank"}


@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=30)), max_size=40),
    st.integers(2, 8),
    st.integers(80, 400),
)
def test_a_tighter_limit_holds_and_stays_as_it_is(lines: list[str], most: int, chars: int) -> None:
    once = compress("\n".join(lines), lines=most, chars=chars)
    assert len(once) <= chars
    assert sum(bool(line) for line in once.splitlines()) <= most
    assert compress(once, lines=most, chars=chars) == once


@settings(max_examples=200)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=10))
def test_an_error_is_three_lines_at_most_and_stays_as_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    once = compress_error(text)
    assert len(once.splitlines()) <= 3
    assert compress_error(once) == once
    assert bool(once) == bool(once.strip())


def test_an_error_that_is_nothing_but_frames_is_not_lost() -> None:
    assert compress_error("    at f (a.js:1:2)\n    at g (b.js:1:2)") == "at f (a.js:1:2)"
    assert compress_error("\x1b[31mError: red\x1b[0m\n\n\n") == "Error: red"
    assert compress_error(" \n\n") == ""


def test_failures_are_told_once_each_and_not_too_many() -> None:
    assert compress_failures(["a", "b", "a", " ", ""]) == ("a", "b")
    many = compress_failures(f"failure {number}" for number in range(50))
    assert len(many) == MAX_FAILURES
    assert many[-1] == "… and 31 more failures"
    assert compress_failures(many) == many


def test_files_are_those_that_changed_with_the_notes_that_were_claimed() -> None:
    claimed = [
        {"path": "./src/a.py", "note": "first\nline"},
        {"path": "src/a.py", "note": "again"},
        {"path": "src/never.py", "note": "not changed at all"},
    ]
    assert compress_files(("src/b.py", "src/a.py", "src/b.py"), claimed) == (
        {"path": "src/a.py", "note": "first line"},
        {"path": "src/b.py", "note": ""},
    )


def test_a_note_is_one_short_line_and_a_list_has_an_end() -> None:
    (only,) = compress_files(("a.py",), [{"path": "a.py", "note": "word " * 100}])
    assert len(only["note"]) <= MAX_NOTE
    many = compress_files([f"f{number:04}.py" for number in range(MAX_FILES + 5)], [])
    assert len(many) == MAX_FILES
    assert many[-1] == {"path": "", "note": "… and 6 more files"}


@pytest.mark.parametrize(
    "piece",
    ["<!-- ", "`", "- x\n", "def f(a, ", "at a (", "```\nError: x\n", "**T**\n\n", "| a |\n", "a/"],
)
def test_hostile_repeats_take_little_time(piece: str) -> None:
    began = time.process_time()
    compress(piece * 5_000)
    compress_error(piece * 5_000)
    assert time.process_time() - began < 5
