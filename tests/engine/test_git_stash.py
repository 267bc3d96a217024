"""A person's changes put aside and given back: exactly, once, whatever dies in between."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.person import Everything, Person, checkout, copied, mess, started

from podium.core.errors import Halted
from podium.engine.git import landing
from podium.engine.git import stash as git_stash
from podium.engine.git.git import Git
from podium.engine.git.person import perform

RUN = "PROJ-1-ab12"
TARGET = "fix/PROJ-1_a_b_c"
OWN = ["?? prompts/PROJ-1/progress.yaml"]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [each for each in os.environ if each.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text('[protocol "file"]\n\tallow = always\n')


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return started(tmp_path_factory.mktemp("person") / "p").root


@pytest.fixture
def person(template: Path, tmp_path: Path) -> Person:
    person = copied(template, tmp_path / "p")
    person.write("prompts/PROJ-1/progress.yaml", "the run's own\n")
    return person


def put(person: Person, run: str = RUN) -> str:
    return str(perform(checkout(person, run, TARGET), "stash")["said"])


def back(person: Person, run: str = RUN) -> dict[str, Any]:
    return dict(perform(checkout(person, run, TARGET), "unstash"))


def times(person: Person) -> dict[str, int]:
    return {
        path: os.lstat(person.root / path).st_mtime_ns
        for path in person.files()
        if not (person.root / path).is_symlink()
    }


def test_everything_at_once_goes_and_comes_back_exactly(person: Person) -> None:
    mess(person)
    before, when, status = person.everything(), times(person), person.status()
    ignored = {
        path: each for path, each in before.files.items() if path in {"trace.log", "build/out"}
    }
    assert put(person) == f"your changes are in the stash 'podium {RUN}'"
    assert person.status() == OWN
    assert ignored.items() <= person.files().items()
    assert person.git("stash", "list", "--format=%gs") == f"On main: podium {RUN}"
    assert back(person) == {"name": "git unstash", "said": "given back", "left": ""}
    assert person.everything() == before
    assert person.status() == status
    assert times(person) == when
    assert back(person)["said"] == "nothing to give back"
    assert person.everything() == before
    assert not (person.root.parent / f"spare-{RUN}" / "put-aside").exists()


def test_it_comes_back_exactly_in_a_repository_with_long_ids(tmp_path: Path) -> None:
    person = started(tmp_path / "p", "sha256")
    mess(person)
    before, status = person.everything(), person.status()
    put(person)
    assert person.status() == []
    assert back(person)["said"] == "given back"
    assert person.everything() == before
    assert person.status() == status


def test_a_plain_git_gives_it_back_as_well(person: Person) -> None:
    """For a person who does not wait for the run."""
    mess(person)
    before = person.files()
    put(person)
    person.git("stash", "pop", "-q", "--index", check=False)
    differ = {path for path, each in person.files().items() if before.get(path) != each}
    assert differ <= {"secret.env"}  # its permissions
    assert person.files().keys() == before.keys()
    assert back(person)["said"] == "nothing to give back"


@pytest.mark.parametrize(
    "setting",
    [
        "core.autocrlf=true",
        "core.autocrlf=input",
        "core.eol=crlf",
        "core.fileMode=false",
        "core.splitIndex=true",
        "core.untrackedCache=true",
    ],
)
def test_it_comes_back_byte_for_byte_under_every_setting(person: Person, setting: str) -> None:
    person.git("config", *setting.split("="))
    if setting == "core.eol=crlf":
        person.write(".gitattributes", "* text=auto\n")
        person.git("add", ".gitattributes")
        person.git("commit", "-q", "-m", "attributes")
    person.write("src/app.py", b"windows\r\nunix\n")
    person.write("README.md", b"all\r\nwindows\r\n")
    person.write("plain.txt", b"all\nunix\n")
    person.write("mixed.txt", b"a\r\nb\n")
    person.git("add", "mixed.txt")
    before = person.everything()
    put(person)
    assert person.status() == OWN
    back(person)
    assert person.everything() == before


def test_only_what_is_staged_is_put_aside_too(person: Person) -> None:
    text = person.read("run.sh")
    person.write("run.sh", "staged\n")
    person.git("add", "run.sh")
    person.write("run.sh", text)
    before = person.everything()
    put(person)
    assert person.status() == OWN
    back(person)
    assert person.everything() == before


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file(person: Person) -> None:
    (person.root / "run.sh").unlink()
    person.write("run.sh/inner", "x")
    (person.root / "docs/guide.md").unlink()
    (person.root / "docs").rmdir()
    person.write("docs", "a file\n")
    before = person.everything()
    put(person)
    assert person.status() == OWN
    back(person)
    assert person.everything() == before


def test_other_repositories_in_the_checkout_stay_where_they_are(person: Person) -> None:
    started(person.root.parent / "library")
    person.git("submodule", "add", "-q", "../library", "lib")
    person.git("commit", "-q", "-m", "a submodule")
    Person(person.root / "lib").commit("more", new="x")
    person.git("add", "lib")
    Person(person.root / "lib").write("dirty", "x")
    started(person.root / "inner")
    person.write("src/app.py", "mine\n")
    before = person.everything()
    put(person)
    assert person.status() == [" M lib", "?? inner/", *OWN]
    assert (person.root / "lib/dirty").exists()
    back(person)
    assert person.everything() == before


def test_dirt_of_other_repositories_alone_is_nothing_to_put_aside(person: Person) -> None:
    started(person.root / "inner")
    before = person.everything()
    assert put(person) == "nothing to stash"
    assert person.everything() == before


def test_a_clean_tree_makes_no_stash(person: Person) -> None:
    before = person.everything()
    assert put(person) == "nothing to stash"
    assert back(person)["said"] == "nothing to give back"
    assert person.everything() == before


def test_flags_of_the_persons_index_stay(person: Person) -> None:
    person.git("update-index", "--assume-unchanged", "README.md")
    person.git("update-index", "--skip-worktree", "docs/guide.md")
    person.write("README.md", "hidden from git\n")
    person.write("src/app.py", "mine\n")
    person.git("add", "src/app.py")
    before = person.everything()
    put(person)
    assert person.read("README.md") == b"hidden from git\n"
    back(person)
    assert person.everything() == before


def test_stashes_of_the_person_and_of_other_runs_stay_whatever_their_place(person: Person) -> None:
    def stash(name: str, message: str) -> None:
        person.write(name, f"{name}\n")
        person.git("stash", "push", "-q", "-u", "-m", message, "--", name)

    stash("old", "mine")
    person.write("longer", "x")
    put(person, f"{RUN}3")
    person.write("short", "x")
    put(person, RUN)
    stash("new", f"podium {RUN}")
    stash("newest", f"On main: podium {RUN}")
    person.write("longest", "x")
    put(person, f"x{RUN}")
    before = person.stashes()
    assert len(before) == 6
    assert back(person, RUN)["said"] == "given back"
    assert person.read("short") == b"x"
    assert not (person.root / "longer").exists()
    assert person.stashes() == (*before[:3], *before[4:])
    back(person, f"{RUN}3")
    back(person, f"x{RUN}")
    assert {"short", "longer", "longest"} <= person.files().keys()
    for name in ("newest", "new", "old"):
        person.git("stash", "pop", "-q")
        assert person.read(name) == f"{name}\n".encode()


def test_a_stash_that_slips_into_the_place_while_ours_is_dropped_is_put_back(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.write("src/app.py", "mine\n")
    put(person)
    run = Git.run
    slipped = []

    def slip(git: Git, *args: str, **how: Any) -> bytes:
        if args[:2] == ("stash", "drop") and not slipped:
            person.write("late", "late\n")
            person.git("stash", "push", "-q", "-u", "-m", "in haste", "--", "late")
            slipped.extend(person.stashes()[:1])
        return run(git, *args, **how)

    monkeypatch.setattr(Git, "run", slip)
    assert back(person)["said"] == "given back"
    assert person.stashes() == tuple(slipped)


# -- giving back where things have changed


def given_over(person: Person, **files: str | bytes) -> Everything:
    """Put aside, then the run's own commit on its branch."""
    put(person)
    perform(checkout(person, RUN, TARGET), "create")
    for path, text in files.items():
        person.write(path, text)
        person.git("add", path)
    person.git("commit", "-q", "-m", "the run's work")
    return person.everything()


def test_changes_in_other_places_of_a_file_are_merged(person: Person) -> None:
    text = person.read("src/app.py")
    person.write("src/app.py", text.replace(b"one = 1", b"one = 11"))
    given_over(person, **{"src/app.py": text.replace(b"five = 5", b"five = 55")})
    assert back(person)["said"] == "given back"
    assert person.read("src/app.py") == text.replace(b"one = 1", b"one = 11").replace(
        b"five = 5", b"five = 55"
    )
    assert person.status() == [" M src/app.py", *OWN]
    assert person.stashes() == ()


def test_what_was_staged_where_the_run_worked_is_told(person: Person) -> None:
    text = person.read("src/app.py")
    person.write("src/app.py", text.replace(b"one = 1", b"one = 11"))
    person.write("run.sh", "staged\n")
    person.git("add", "src/app.py", "run.sh")
    given_over(person, **{"src/app.py": text.replace(b"five = 5", b"five = 55")})
    assert back(person)["said"] == "given back, no longer staged: src/app.py"
    assert person.status() == [" M src/app.py", *OWN, "M  run.sh"]


@pytest.mark.parametrize(
    "run_made", ["changed", "deleted", "added", "folder", "untracked", "ignored"]
)
def test_a_clash_writes_nothing_and_says_where_the_changes_are(
    person: Person, run_made: str
) -> None:
    person.write("src/app.py", "mine\n")
    person.write("new", "mine\n")
    person.write("other", "mine\n")
    person.git("stash", "push", "-q", "-u", "-m", "older", "--", "other")
    made: dict[str, str | bytes] = {
        "changed": {"src/app.py": "the run's\n"},
        "added": {"new": "the run's\n"},
        "folder": {"new/inner": "x"},
    }.get(run_made, {"unrelated": "x"})
    given_over(person, **made)
    if run_made == "deleted":
        person.git("rm", "-q", "src/app.py")
        person.git("commit", "-q", "-m", "gone")
    if run_made == "untracked":
        person.write("new", "somebody's\n")
    if run_made == "ignored":
        person.write(".git/info/exclude", "new\n")
        person.write("new", "somebody's\n")
    before = person.everything()
    for _ in range(2):
        said = back(person)
        assert said["left"] == "stash@{0}"
        assert "clashes with" in said["said"]
        assert "git stash apply stash@{0}" in said["said"]
        assert person.everything() == before


def test_lines_that_both_added_to_gitignore_are_no_clash(person: Person) -> None:
    ignore = person.read(".gitignore")
    person.write(".gitignore", ignore + b"mine/\n")
    given_over(person, **{".gitignore": ignore + b"prompts/\n"})
    assert back(person)["said"] == "given back"
    assert person.read(".gitignore").splitlines() == [*ignore.splitlines(), b"prompts/", b"mine/"]


def test_a_gitignore_that_both_made_has_the_lines_of_both(person: Person) -> None:
    person.git("rm", "-q", ".gitignore")
    person.git("commit", "-q", "-m", "no rules")
    for path in ("trace.log", "build/out"):
        (person.root / path).unlink()
    person.write(".gitignore", "mine/\n")
    given_over(person, **{".gitignore": "prompts/\n"})
    back(person)
    assert person.read(".gitignore") == b"prompts/\nmine/\n"


def test_on_another_branch_than_they_come_from_changes_are_given_back_as_well(
    person: Person,
) -> None:
    person.write("src/app.py", "mine\n")
    put(person)
    person.git("switch", "-q", "-c", "topic")
    back(person)
    assert person.read("src/app.py") == b"mine\n"
    assert person.status() == [" M src/app.py", *OWN]


def test_in_the_middle_of_a_merge_they_stay_aside(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    put(person)
    (person.git_dir / "MERGE_HEAD").write_text(person.git("rev-parse", "HEAD") + "\n")
    before = person.everything()
    said = back(person)
    assert (said["left"], "a merge is in progress" in said["said"]) == ("stash@{0}", True)
    assert person.everything() == before


def test_what_a_person_took_back_themselves_is_not_given_twice(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    put(person)
    person.git("stash", "apply", "-q")
    before = person.files()
    assert back(person)["said"] == "given back"
    assert (person.files(), person.stashes()) == (before, ())


def test_files_that_change_while_they_are_put_aside_are_not_put_aside(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.write("src/app.py", "mine\n")
    copy_all = git_stash._copy_all
    monkeypatch.setattr(
        git_stash,
        "_copy_all",
        lambda *args: (copy_all(*args), person.write("src/app.py", "later\n")),
    )
    with pytest.raises(Halted, match="changed while"):
        put(person)
    assert person.read("src/app.py") == b"later\n"
    assert person.stashes() == ()


def test_a_damaged_copy_is_not_believed(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    before = person.everything()
    put(person)
    (person.root.parent / f"spare-{RUN}" / "put-aside" / "src/app.py").write_text("")
    back(person)
    assert person.everything() == before


def test_without_the_copies_git_gives_back_what_it_has(person: Person) -> None:
    mess(person)
    before = person.everything()
    put(person)
    shutil.rmtree(person.root.parent / f"spare-{RUN}")
    back(person)
    after = person.everything()
    assert after.index == before.index
    assert {path: each[2] for path, each in after.files.items()} == {
        path: each[2] for path, each in before.files.items()
    }


# -- deaths


class Death(BaseException):
    pass


MUTES = ("store", "drop", "--index-info", "add")
"""Words of git commands that change something of the person's."""


def places(monkeypatch: pytest.MonkeyPatch, die_at: int) -> list[str]:
    """Die at the given place; each place is before or after something that changes the person's
    repository.
    """
    seen: list[str] = []
    run, replace, unlink = Git.run, os.replace, os.unlink

    def pass_by(what: str) -> None:
        seen.append(what)
        if len(seen) == die_at:
            raise Death(what)

    def watched(what: str, do: Callable[[], Any]) -> Any:
        pass_by(f"before {what}")
        done = do()
        pass_by(f"after {what}")
        return done

    def git_run(git: Git, *args: str, **how: Any) -> bytes:
        if git.index is None and any(word in MUTES for word in args):
            return watched(" ".join(args[:2]), lambda: run(git, *args, **how))  # type: ignore[no-any-return]
        return run(git, *args, **how)

    monkeypatch.setattr(Git, "run", git_run)
    monkeypatch.setattr(
        landing.os,
        "replace",
        lambda a, b: watched(f"replace {os.path.basename(b)}", lambda: replace(a, b)),
    )
    monkeypatch.setattr(
        landing.os,
        "unlink",
        lambda a, **how: watched(f"unlink {os.path.basename(a)}", lambda: unlink(a, **how)),
    )
    return seen


def small_mess(person: Person) -> None:
    person.write("src/app.py", "staged\n")
    person.git("add", "src/app.py")
    person.write("src/app.py", "changed\n")
    person.git("rm", "-q", "README.md")
    person.write("new", "new\n", 0o600)
    person.write("intended", "x\n")
    person.git("add", "-N", "intended")


def deaths(
    template: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[Person], None],
    do: Callable[[Person], Any],
    every: int = 1,
) -> Iterator[tuple[Person, Everything]]:
    """The repository after a death at every place, with everything as it was before."""
    model = copied(template, folder / "model" / "p")
    small_mess(model)
    before = model.everything()
    prepare(model)
    number = 1 - every
    while True:
        number += every
        shutil.copytree(
            model.root.parent, folder / f"p{number}", symlinks=True
        )  # with the copies of files beside it
        person = Person(folder / f"p{number}" / "p")
        person.git("update-index", "-q", "--refresh")
        with monkeypatch.context() as patched:
            seen = places(patched, number)
            try:
                do(person)
            except Death:
                pass
            else:
                assert number >= len(seen) + 1 > 8
                return
        yield person, before


def nothing(_: Person) -> None:
    pass


def test_a_death_while_putting_aside_is_mended_by_doing_it_again(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for person, before in deaths(template, tmp_path, monkeypatch, nothing, put):
        put(person)
        assert (person.status(), len(person.stashes())) == ([], 1)
        back(person)
        assert person.everything() == before


def test_a_death_while_putting_aside_is_mended_by_giving_back_at_once(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for person, before in deaths(template, tmp_path, monkeypatch, nothing, put, every=2):
        back(person)
        assert person.everything() == before


def test_a_death_while_giving_back_is_mended_by_doing_it_again(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for person, before in deaths(
        template, tmp_path, monkeypatch, lambda person: (put(person), None)[1], back
    ):
        back(person)
        assert person.everything() == before
        assert back(person)["said"] == "nothing to give back"


def test_after_a_death_what_the_person_wrote_since_stays(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for person, _ in deaths(template, tmp_path, monkeypatch, nothing, put, every=4):
        stored = bool(person.stashes())
        person.write("src/app.py", "written since\n")
        with contextlib.suppress(Halted):
            put(person)
        texts = {path: each[2] for path, each in person.files().items()}
        kept = [person.raw("cat-file", "blob", f"{each}:src/app.py") for each in person.stashes()]
        assert b"written since\n" in {texts.get("src/app.py"), *kept}
        assert b"changed\n" in kept or not stored
