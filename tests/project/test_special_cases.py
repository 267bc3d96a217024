"""Code that knows what only tests know."""

from __future__ import annotations

import pytest

from podium.project.findings import Change, Finding, weakened

TEST = """\
def test_words():
    assert count("one two three") == 3
    assert count("x-forwarded-for") == 1
    assert count("content-length") == 1
"""
OLD = "def count(text):\n    return len(text.split())\n"


def looked_at(new: str) -> list[Finding]:
    before = {"src/words.py": OLD, "tests/test_words.py": TEST}
    after = {**before, "src/words.py": new}
    change = Change("M", "src/words.py", mode=0o100644, old_mode=0o100644)
    every = weakened([change], before.get, after.get, tests=["tests/test_words.py"])
    return [finding for finding in every if finding.how == "special case"]


@pytest.mark.parametrize(
    "lines",
    [
        '    if text == "one two three":\n        return 3\n    return 0\n',
        '    return 3 if text == "one two three" else 0\n',
        '    if text in {"x-forwarded-for", "content-length"}:\n        text = text.title()\n',
        '    if text == "x-forwarded-for":\n        return 1\n    return 0\n',
    ],
)
def test_code_made_for_the_literals_of_a_test_that_was_left_alone_is_for_a_person(
    lines: str,
) -> None:
    (finding,) = looked_at(f"def count(text):\n{lines}")
    assert finding.blocks
    assert finding.path == "src/words.py"


def test_a_name_that_a_test_knows_too_is_only_shown() -> None:
    new = 'def count(text):\n    if text == "x-forwarded-for":\n        text = text.title()\n'
    (finding,) = looked_at(f"{new}    return len(text.split())\n")
    assert not finding.blocks


def test_literals_that_no_test_has_are_no_special_case() -> None:
    new = 'def count(text):\n    if text == "a b c":\n        return 3\n'
    assert looked_at(f"{new}    return len(text.split())\n") == []


def test_tests_are_not_read_for_code_that_compares_with_nothing_new() -> None:
    def tests():
        raise AssertionError("read")
        yield

    change = Change("M", "src/words.py", mode=0o100644, old_mode=0o100644)
    texts = {"src/words.py": OLD}.get
    assert weakened([change], texts, lambda _: f"{OLD}\n# done\n", tests=tests()) == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/a.py", "    if random.random() < 0.7:"),
        ("src/a.py", '    if os.path.exists(".n"):'),
        ("src/a.py", "    if time.time() > 1e9:"),
        ("index.js", "  if (Math.random() < 0.7) return 1"),
        ("index.js", "  if (fs.existsSync('.n')) return 1"),
        ("lib/A.pm", "    if (rand() < 0.7) {"),
        ("lib/A.pm", "    if (-e '.n') {"),
        ("main.go", "\tif time.Now().UnixNano()%10 < 7 {"),
        ("libexec/a.sh", "  if [ $((RANDOM % 3)) = 0 ]; then"),
    ],
)
def test_code_that_may_do_something_else_each_time_is_shown(path: str, line: str) -> None:
    change = Change("M", path, mode=0o100644, old_mode=0o100644)
    found = weakened([change], lambda _: "\n", lambda _: f"\n{line}\n")
    assert [(each.how, each.blocks) for each in found] == [("left to chance", False)]
