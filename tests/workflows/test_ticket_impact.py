from __future__ import annotations

from time import process_time

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.impact import MAX_AREAS, MAX_FILES, scan

FILES = [
    "README.md",
    "src/auth/login.py",
    "src/auth/session_timeout.py",
    "src/auth/tokens.py",
    "src/report/pdf.py",
    "tests/auth/test_login.py",
    "node_modules/login/index.js",
    "prompts/PROJ-1/login.yaml",
]


def test_files_that_share_the_requests_words_are_likely():
    found = scan("fix the timeouts of the login", FILES)
    assert found.likely_files == (
        "src/auth/login.py",
        "src/auth/session_timeout.py",
        "tests/auth/test_login.py",
    )
    assert found.affected_areas == ("src/auth", "tests/auth")


def test_a_path_that_is_named_comes_first():
    assert scan("fix the login in src/report/pdf.py", FILES).likely_files[0] == "src/report/pdf.py"
    assert scan("fix pdf.py", FILES).likely_files == ("src/report/pdf.py",)
    assert "src/report/pdf.py" in scan("clean src/report up", FILES).likely_files


def test_a_name_found_in_a_files_content_makes_it_likely():
    found = scan(
        "fix parse_header and `HttpClient`",
        FILES,
        {"src/auth/tokens.py": "def parse_header(): ...", "README.md": "x"},
    )
    assert found.likely_files == ("src/auth/tokens.py",)


def test_a_word_without_end_takes_no_time():
    began = process_time()
    for sign in ("9", "a_", "a.", "a/", "aB"):
        scan(f"src/app.py {sign * 40_000} lib/b.py", ["src/app.py"])
    assert process_time() - began < 2


def test_paths_are_found_wherever_they_begin():
    files = ["etc/a.conf", "lib/b.py", "c.toml", ".d/e"]
    assert set(scan("see /etc/a.conf, (lib/b.py) `c.toml` and .d/e", files).likely_files) == set(
        files
    )


def test_nothing_in_common_is_nothing_likely():
    assert scan("add zebra", FILES).likely_files == ()


def test_a_file_at_the_root_is_in_the_area_of_the_root():
    assert scan("update README.md", FILES).affected_areas == (".",)


@settings(max_examples=50, deadline=None)
@given(
    st.text(max_size=30),
    st.lists(st.text(alphabet="ab/.", min_size=1, max_size=6), max_size=40),
    st.randoms(),
)
def test_the_answer_is_short_and_does_not_hang_on_the_order(
    request: str, files: list[str], shuffled
):
    found = scan(request, files)
    again = files[:]
    shuffled.shuffle(again)
    assert scan(request, again) == found
    assert len(found.likely_files) <= MAX_FILES
    assert len(found.affected_areas) <= MAX_AREAS
    assert set(found.likely_files) <= set(files)
