"""Small breaks of changed lines."""

from __future__ import annotations

import pytest

from podium.proof.mutants import changed_lines, mutants


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("    return a + b", "    return a - b"),
        ("if a == b:", "if a != b:"),
        ("x = a and b", "x = a or b"),
        ("x = a < b", "x = a >= b"),
        ("limit = 10", "limit = 11"),
        ("ok = True", "ok = False"),
        ("if (a && b) {", "if (a || b) {"),
        ("return min(a, b)", "return max(a, b)"),
        ("    return compute(a)", "    return None"),
    ],
)
def test_a_line_is_broken_in_a_way_that_means_something(line: str, after: str) -> None:
    made = mutants({"a.py": (f"{line}\n", [1])}, 20)
    assert after in [mutant.after for mutant in made]
    assert all(mutant.applied(f"{line}\nrest\n").endswith("\nrest\n") for mutant in made)


@pytest.mark.parametrize(
    "line", ["", "    ", "# a == b", "// a + b", "x = 'a == b'", 'y = "1 + 2"']
)
def test_what_means_nothing_is_not_broken(line: str) -> None:
    assert mutants({"a.py": (f"{line}\n", [1])}, 20) == ()


def test_every_changed_line_is_broken_once_before_any_is_broken_twice() -> None:
    text = "a = 1 == 2\nb = 3 == 4\nc = 5 == 6\n"
    assert [mutant.line for mutant in mutants({"a.py": (text, [1, 2, 3])}, 4)] == [1, 2, 3, 1]


def test_only_changed_lines_are_broken() -> None:
    assert [m.line for m in mutants({"a.py": ("a = 1\nb = 2\n", [2])}, 9)] == [2]


def test_a_patch_tells_the_lines_that_it_adds() -> None:
    patch = (
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+C\n c\n"
        "@@ -9 +10,2 @@\n+z\n d\ndiff --git a/y b/y\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )
    assert changed_lines(patch) == {"x.py": [2, 3, 10]}
