"""Path patterns as contracts write them: `*` stays in a folder, `**` crosses folders, a folder
means all in it.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.globs import matches

PARTS = st.text(alphabet="ab.c[]+(^$-", min_size=1, max_size=4)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("podium.toml", "podium.toml"),
        ("src/*.py", "src/app.py"),
        ("src/?.py", "src/a.py"),
        ("src/**", "src/deep/er/app.py"),
        ("**/conftest.py", "conftest.py"),
        ("**/conftest.py", "tests/deep/conftest.py"),
        ("src/**/test_*.py", "src/test_a.py"),
        ("src/**/test_*.py", "src/x/y/test_a.py"),
        ("harness/tasks", "harness/tasks/T001.md"),
        ("harness/tasks/", "harness/tasks/T001.md"),
        ("src/*", "src/pkg/app.py"),
        ("**", "anything/at/all"),
    ],
)
def test_a_pattern_means_these_paths(pattern: str, path: str) -> None:
    assert matches(path, [pattern])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("podium.toml", "sub/podium.toml"),
        ("podium.toml", "podiumxtoml"),
        ("podium.toml", "podium.toml.bak"),
        ("src/*.py", "src/deep/app.py"),
        ("src/?.py", "src/ab.py"),
        ("src/?.py", "src//.py"),
        ("src/**", "srcs/app.py"),
        ("src/**", "lib/src/app.py"),
        ("**/conftest.py", "tests/my_conftest.py"),
        ("harness/tasks", "harness/tasks.md"),
        ("harness/tasks/**", "harness/tasks2/T001.md"),
        ("src/[ab].py", "src/a.py"),
        ("*.py", "app.py\nx"),
        ("SRC/*", "src/a"),
    ],
)
def test_a_pattern_means_no_more_than_it_says(pattern: str, path: str) -> None:
    assert not matches(path, [pattern])


def test_one_of_several_patterns_is_enough_and_none_matches_nothing() -> None:
    assert matches("b", ["a", "b"])
    assert not matches("c", ["a", "b"])
    assert not matches("a", [])


@given(path=PATHS)
def test_a_path_without_signs_means_itself(path: str) -> None:
    assert matches(path, [path])


@given(path=PATHS, other=PATHS)
def test_a_path_without_signs_means_itself_and_what_is_below_it_and_nothing_else(
    path: str, other: str
) -> None:
    assert matches(other, [path]) == (other == path or other.startswith(f"{path}/"))


@given(folder=PATHS, rest=PATHS)
def test_two_stars_cross_any_number_of_folders(folder: str, rest: str) -> None:
    assert matches(f"{folder}/{rest}", [f"{folder}/**"])
    assert matches(f"{folder}/{rest}", ["**"])
    last = rest.rpartition("/")[2]
    assert matches(f"{folder}/{rest}", [f"**/{last}"])


@given(path=PATHS)
def test_one_star_never_crosses_a_folder(path: str) -> None:
    assert matches(f"x/{path}/end", ["x/*/end"]) == ("/" not in path)


@given(path=PATHS)
def test_a_question_mark_stands_for_one_character_of_a_name(path: str) -> None:
    assert matches(path, ["".join("/" if each == "/" else "?" for each in path)])
    if "/" in path:
        assert not matches(path, ["?" * len(path)])


@given(path=st.text(max_size=20), pattern=st.text(max_size=20))
def test_no_pattern_is_an_error(path: str, pattern: str) -> None:
    assert matches(path, [pattern]) in {True, False}
