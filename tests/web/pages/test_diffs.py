"""Changes with line numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.web.pages.diffs import COMPARED, between, patch

PATCH = """\
diff --git a/app.py b/app.py
index 1..2 100644
--- a/app.py
+++ b/app.py
@@ -3,3 +3,4 @@ def total():
 same
-old
+new
+more
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
--- a dash
\\ No newline at end of file
"""


def test_every_row_knows_its_place_on_both_sides() -> None:
    first, second = patch(PATCH).files
    assert (first.path, first.added, first.cut) == ("app.py", 2, 1)
    assert [(row.kind, row.old, row.new, row.text) for row in first.rows[1:]] == [
        ("same", 3, 3, "same"),
        ("cut", 4, None, "old"),
        ("add", None, 4, "new"),
        ("add", None, 5, "more"),
    ]
    assert [(row.kind, row.text) for row in second.rows] == [
        ("note", "deleted file mode 100644"),
        ("hunk", "@@ -1 +0,0 @@"),
        ("cut", "-- a dash"),
        ("note", "No newline at end of file"),
    ]


def test_a_patch_of_many_lines_is_cut_but_counted() -> None:
    text = "diff --git a/x b/x\n@@ -0,0 +1,5000 @@\n" + "+line\n" * 5_000
    found = patch(text, most=100)
    assert (len(found.files[0].rows), found.left_out, found.added) == (100, 4_901, 5_000)


def test_a_line_that_looks_like_a_head_stays_a_line() -> None:
    text = "diff --git a/x b/x\n@@ -0,0 +1,2 @@\n++++ b/evil\n+diff --git a/y b/y\n"
    (file,) = patch(text).files
    assert [row.text for row in file.rows[1:]] == ["+++ b/evil", "diff --git a/y b/y"]


def test_hostile_lines_are_made_visible() -> None:
    (file,) = patch("diff --git a/\u202ex b/\u202ex\n@@ -1 +1 @@\n+\x1b[2J\u202e\n").files
    assert "\u202e" not in file.path + file.rows[1].text
    assert "\x1b" not in file.rows[1].text


def test_two_texts_that_are_the_same_have_no_changes() -> None:
    assert between("a\n", "a\n", "x").files == ()


def test_two_texts_are_compared() -> None:
    (file,) = between("a\nb\n", "a\nc\n", "x.md").files
    assert [(row.kind, row.text) for row in file.rows[1:]] == [
        ("same", "a"),
        ("cut", "b"),
        ("add", "c"),
    ]


def test_two_long_texts_are_only_said_to_differ() -> None:
    assert between("a\n" * (COMPARED + 1), "b\n", "x").too_long


@settings(max_examples=60)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(old: str, new: str) -> None:
    found = between(old, new, "x")
    for file in found.files:
        assert all(row.text.isprintable() for row in file.rows)
