"""A difference as git shows it, read for what it does to each file."""

from __future__ import annotations

import pytest

from podium.workflows.governed.phase.patches import read_patch

PATCH = """\
diff --git a/new.py b/new.py
new file mode 100644
index 000..111
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+one = 1
+++x
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-gone = 1
diff --git "a/a b.py" "b/a b.py"
--- "a/a b.py"
+++ "b/a b.py"
@@ -1 +1 @@
-was
+is
diff --git a/pic.png b/pic.png
Binary files a/pic.png and b/pic.png differ
"""


def test_every_file_is_found_with_what_happened_to_it() -> None:
    assert [(each.path, each.deleted, each.created, each.added) for each in read_patch(PATCH)] == [
        ("new.py", False, True, ("one = 1", "++x")),
        ("old.py", True, False, ()),
        ("a b.py", False, False, ("is",)),
        ("pic.png", False, False, ()),
    ]


def test_a_line_of_the_code_that_looks_like_a_mark_is_none() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+deleted file mode 100644\n"
    assert [(each.deleted, each.added) for each in read_patch(text)] == [
        (False, ("deleted file mode 100644",))
    ]


@pytest.mark.parametrize("sign", ["\x0c", "\r", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_sign_but_a_line_end_hides_what_follows_it(sign: str) -> None:
    text = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+one{sign}two\n"
    assert [each.added for each in read_patch(text)] == [(f"one{sign}two",)]


def test_what_is_no_text_and_what_was_left_out_is_unread() -> None:
    binary = "diff --git a/x b/x\nindex 0..1 100644\nGIT binary patch\nliteral 3\nKcmZ?wcn\n\n"
    gone = binary.replace("index", "deleted file mode 100644\nindex")
    left_out = "# Podium: the patch has 99 bytes; only the first 9 are kept\n"
    assert [(each.path, each.unread) for each in read_patch(left_out + binary + gone)] == [
        ("x", True),
        ("x", False),
        (left_out.strip(), True),
    ]
    assert [each.unread for each in read_patch(PATCH)] == [False, False, False, True]


def test_a_file_whose_head_cannot_be_read_is_not_passed_over() -> None:
    assert [
        each.added for each in read_patch("diff --git strange\nindex 0..1\n@@ -1 +1 @@\n+one\n")
    ] == [("one",)]


def test_nothing_is_no_change() -> None:
    assert read_patch("") == ()
