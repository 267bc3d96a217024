"""What goes along to another machine: the checkout as it is, the run's folder, refs, and
documents that git ignores.
"""

from pathlib import Path

import pytest
from tests.fakes.project import make
from tests.fakes.repository import git

from podium.core.digest import digest
from podium.core.errors import Halted
from podium.engine.workspace import Workspace
from podium.fleet.parcels.parcels import Parcels, spoken_of
from podium.fleet.parcels.workshop import unpack, unpack_run
from podium.fleet.places import without_secrets
from podium.fleet.store.folder import FolderStore
from podium.fleet.store.store import Away, Damaged, Store
from podium.state.disk import Disk
from podium.state.run_folder import prepare

NOW = "2026-01-02T03:04:05.000Z"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    return make(tmp_path / "project")


def parcels(project: Path, epoch: int = 1) -> Parcels:
    prepare(project, Disk())
    (project / ".podium" / "runs" / "R1").mkdir(exist_ok=True)
    found = Workspace.find(project, project / ".podium")
    return Parcels(found, str(project.parent / "remote.git"), "R1", epoch, patience_s=0)


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def opened(project: Path, parcel: str, name: str = "other", store: Store | None = None) -> Path:
    base = project.parent
    return unpack(parcel, "R1", str(base / "remote.git"), base / name, base / "mirror.git", store)


@pytest.fixture
def store(project: Path) -> FolderStore:
    (project.parent / "shared").mkdir()
    return FolderStore(project.parent / "shared")


def stored(project: Path, store: Store) -> Parcels:
    found = parcels(project)
    found.store, found.above = store, 1000
    return found


def test_a_checkout_arrives_as_it_was_with_what_is_not_committed(project: Path) -> None:
    write(project / "src/app.py", "VALUE = 2\n")
    write(project / "src/new.py", "NEW = 1\n")
    (project / "src/old.py").unlink()
    write(project / "secret.log", "ignored and named by nobody\n")
    write(project / "build/plan.md", "ignored, and a document of the run\n")
    git(project, "branch", "other")
    git(project, "config", "branch.other.podium", "R1")
    sent = parcels(project)
    sent.documents = {"build/plan.md", "gone.md"}
    write(project / ".podium/runs/R1/steps/build/prompt.md", "do it\n")
    for name in (
        "journal.jsonl",
        "lock",
        "state.json",
        "inbox/a.json",
        "children/item/1/journal.jsonl",
    ):
        write(project / ".podium/runs/R1" / name, "only here\n")
    there = opened(project, sent.send(NOW))
    assert (
        git(there, "status", "--porcelain").splitlines()
        == git(project, "status", "--porcelain").splitlines()
    )
    assert (there / "build/plan.md").read_text().startswith("ignored")
    assert not (there / "secret.log").exists()
    assert git(there, "rev-parse", "HEAD", "other") == git(project, "rev-parse", "HEAD", "other")
    assert git(there, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(there, "config", "branch.other.podium") == "R1\n"
    run = there / ".podium" / "runs" / "R1"
    assert [str(each.relative_to(run)) for each in run.rglob("*") if each.is_file()] == [
        "steps/build/prompt.md"
    ]


def test_nothing_is_sent_twice_and_each_parcel_leads_to_the_one_before(project: Path) -> None:
    one = parcels(project)
    first = one.send(NOW)
    assert one.send(NOW) == first
    write(project / "src/app.py", "VALUE = 2\n")
    second = one.send(NOW)
    remote = project.parent / "remote.git"
    assert git(remote, "rev-parse", "refs/podium/R1/1").strip() == second
    assert git(remote, "rev-parse", f"{second}^1").strip() == first
    assert (opened(project, first) / "src/app.py").read_text() == "VALUE = 1\n"


def test_an_owner_of_the_past_moves_nothing_but_its_own(project: Path) -> None:
    old, new = parcels(project, 1), parcels(project, 2)
    old.send(NOW)
    old.show(NOW, "old")
    write(project / "src/app.py", "VALUE = 2\n")
    new.send(NOW)
    new.show(NOW, "new")
    write(project / "src/app.py", "VALUE = 3\n")
    old.send(NOW)
    old.show(NOW, "old again")
    remote = project.parent / "remote.git"
    assert git(remote, "show", "podium/R1:src/app.py") == "VALUE = 2\n"
    assert git(remote, "log", "--format=%s", "podium/R1").splitlines() == [
        "new",
        "old",
        "A small project",
    ]
    new.tidy()
    assert git(remote, "for-each-ref", "--format=%(refname)", "refs/podium").split() == [
        "refs/podium/R1/2"
    ]


def test_a_detached_head_and_a_project_below_the_top_arrive(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    top = tmp_path / "top"
    make(top / "inner", "plain")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "all")
    git(top, "checkout", "-q", "--detach")
    inner = top / "inner"
    (inner / ".podium/runs/R1").mkdir(parents=True)
    parcel = Parcels(
        Workspace.find(inner, inner / ".podium"), str(tmp_path / "remote.git"), "R1", 1
    ).send(NOW)
    there = unpack(
        parcel, "R1", str(tmp_path / "remote.git"), tmp_path / "other", tmp_path / "mirror.git"
    )
    assert there == tmp_path / "other" / "inner"
    assert (there / "src/app.py").is_file()
    assert git(there, "rev-parse", "HEAD") == git(top, "rev-parse", "HEAD")
    assert git(there, "status", "--porcelain") == ""


def test_large_and_ignored_files_travel_by_the_store_and_arrive(
    project: Path, store: FolderStore
) -> None:
    sent = stored(project, store)
    write(project / "data/model.bin", "m" * 5000)
    (project / "data/model.bin").chmod(0o755)
    write(project / "src/app.py", "#" * 3000)
    write(project / "build/plan.md", "ignored, and a document of the run\n")
    write(project / ".podium/runs/R1/steps/build/transcript.jsonl", "t" * 4000)
    sent.documents = {"build/plan.md"}
    parcel = sent.send(NOW)
    remote = project.parent / "remote.git"
    inside = git(remote, "ls-tree", "-r", "--name-only", parcel).splitlines()
    assert not {
        "project/data/model.bin",
        "project/build/plan.md",
        "run/steps/build/transcript.jsonl",
    } & set(inside)
    assert "large.json" in inside
    there = opened(project, parcel, store=store)
    assert (there / "data/model.bin").read_text() == "m" * 5000
    assert (there / "data/model.bin").stat().st_mode & 0o100
    assert (there / "src/app.py").read_text() == "#" * 3000
    assert (there / "build/plan.md").read_text().startswith("ignored")
    assert (there / ".podium/runs/R1/steps/build/transcript.jsonl").read_text() == "t" * 4000
    assert git(there, "status", "--porcelain") == git(project, "status", "--porcelain")
    unpack_run(
        parcel, "R1", sent.remote, project.parent / "window", project.parent / "mirror.git", store
    )
    assert (
        project.parent / "window/.podium/runs/R1/steps/build/transcript.jsonl"
    ).stat().st_size == 4000


def test_people_read_on_the_branch_what_is_ignored_and_in_the_store(
    project: Path, store: FolderStore
) -> None:
    sent = stored(project, store)
    write(project / "build/plan.md", "to be approved\n")
    write(project / "build/large.md", "l" * 2000)
    sent.documents = {"build/plan.md", "build/large.md"}
    sent.send(NOW)
    sent.show(NOW, "as of now")
    remote = project.parent / "remote.git"
    assert git(remote, "show", "podium/R1:build/plan.md") == "to be approved\n"
    assert "build/large.md" not in git(remote, "ls-tree", "-r", "--name-only", "podium/R1")


def test_a_change_of_a_large_file_alone_is_a_new_parcel(project: Path, store: FolderStore) -> None:
    sent = stored(project, store)
    write(project / "model.bin", "a" * 5000)
    first = sent.send(NOW)
    assert sent.send(NOW) == first
    write(project / "model.bin", "b" * 5000)
    second = sent.send(NOW)
    assert (opened(project, first, "one", store) / "model.bin").read_text() == "a" * 5000
    assert (opened(project, second, "two", store) / "model.bin").read_text() == "b" * 5000


def test_a_parcel_whose_objects_are_damaged_or_out_of_reach_is_not_unpacked(
    project: Path, store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = stored(project, store)
    write(project / "model.bin", "a" * 5000)
    parcel = sent.send(NOW)
    with pytest.raises(Halted, match=r"set \[fleet\] store"):
        opened(project, parcel, "none")
    value = digest("a" * 5000)[7:]
    place = project.parent / "shared" / "sha256" / value[:2] / value
    place.chmod(0o644)
    place.write_text("b" * 5000)
    with pytest.raises(Damaged, match="was not used"):
        opened(project, parcel, "damaged", store)
    monkeypatch.setattr("podium.fleet.parcels.workshop.PATIENCE_S", 0)
    (project.parent / "shared").rename(project.parent / "unmounted")
    with pytest.raises(Away):
        opened(project, parcel, "away", store)


def test_nothing_is_pushed_before_the_store_has_its_part(project: Path, store: FolderStore) -> None:
    sent = stored(project, store)
    write(project / "model.bin", "a" * 5000)
    (project.parent / "shared").rename(project.parent / "unmounted")
    with pytest.raises(Away):
        sent.send(NOW)
    assert git(project.parent / "remote.git", "for-each-ref") == ""
    (project.parent / "unmounted").rename(project.parent / "shared")
    assert (opened(project, sent.send(NOW), store=store) / "model.bin").stat().st_size == 5000


def test_without_large_files_a_parcel_is_one_that_older_workers_know(
    project: Path, store: FolderStore
) -> None:
    parcel = stored(project, store).send(NOW)
    remote = project.parent / "remote.git"
    assert '"format": 1' in git(remote, "show", f"{parcel}:place.json")
    assert opened(project, parcel).is_dir()


def test_an_owner_whose_branch_was_moved_by_one_of_the_past_moves_it_again(project: Path) -> None:
    old, new = parcels(project, 1), parcels(project, 2)
    old.send(NOW)
    new.send(NOW)
    new.branch.shown = ""  # it looked before the old one moved it
    old.show(NOW, "old")
    write(project / "src/app.py", "VALUE = 2\n")
    new.send(NOW)
    new.show(NOW, "new")
    assert git(project.parent / "remote.git", "show", "podium/R1:src/app.py") == "VALUE = 2\n"


MOVES = """#!/bin/sh
[ "$1" = refs/heads/podium/R1 ] && [ "$(cat moved)" -lt 3 ] || exit 0
echo $(($(cat moved) + 1)) > moved
commit=$(git -c user.name=w1 -c user.email=w1@here commit-tree -p "$1" -m "late

Podium-Epoch: 1" "$1^{tree}")
git update-ref "$1" "$commit"
"""
"""Moves the branch while another push of it is under way, three times."""


def test_the_last_word_is_shown_however_often_owners_of_the_past_move_the_branch(
    project: Path,
) -> None:
    """A push goes on when its owner has died, and several may have."""
    old, new, remote = parcels(project, 1), parcels(project, 2), project.parent / "remote.git"
    old.send(NOW)
    old.show(NOW, "old")
    write(remote / "moved", "0")
    write(remote / "hooks/update", MOVES)
    (remote / "hooks/update").chmod(0o755)
    write(project / "src/app.py", "VALUE = 2\n")
    new.send(NOW)
    new.show(NOW, "the end")
    assert (remote / "moved").read_text().strip() == "3"
    assert git(remote, "show", "podium/R1:src/app.py") == "VALUE = 2\n"


def test_a_remote_that_refuses_the_branch_stops_nobody(project: Path) -> None:
    sent, hook = parcels(project), project.parent / "remote.git" / "hooks" / "update"
    write(hook, "#!/bin/sh\ncase $1 in refs/heads/*) exit 1;; esac\n")
    hook.chmod(0o755)
    sent.send(NOW)
    sent.show(NOW, "nobody sees it")
    assert git(project.parent / "remote.git", "branch", "--list") == ""


def test_the_branch_is_moved_beside_the_work_and_the_newest_sight_wins(project: Path) -> None:
    sent = parcels(project)
    for number in range(2, 6):
        write(project / "src/app.py", f"VALUE = {number}\n")
        sent.send(NOW)
        sent.show(NOW, f"number {number}", soon=True)
    sent.show(NOW, "the end")
    remote = project.parent / "remote.git"
    assert git(remote, "show", "podium/R1:src/app.py") == "VALUE = 5\n"
    assert git(remote, "fsck", "--strict", "--no-dangling") == ""


def test_a_remote_that_is_away_while_the_branch_is_moved_stops_nobody(project: Path) -> None:
    sent = parcels(project)
    sent.send(NOW)
    remote = project.parent / "remote.git"
    remote.rename(project.parent / "gone.git")
    sent.show(NOW, "nobody hears it", soon=True)
    sent.branch._thread is None or sent.branch._thread.join()
    (project.parent / "gone.git").rename(remote)
    sent.show(NOW, "the end")
    assert git(remote, "log", "-1", "--format=%s", "podium/R1") == "the end\n"


def test_only_the_runs_folder_can_be_looked_at(project: Path) -> None:
    sent = parcels(project)
    write(project / ".podium/runs/R1/steps/build/prompt.md", "do it\n")
    unpack_run(
        sent.send(NOW), "R1", sent.remote, project.parent / "window", project.parent / "mirror.git"
    )
    assert (
        project.parent / "window/.podium/runs/R1/steps/build/prompt.md"
    ).read_text() == "do it\n"


def test_without_a_commit_there_is_nothing_to_send(tmp_path: Path) -> None:
    with pytest.raises(Halted, match="a first commit"):
        parcels(make(tmp_path / "project", "unborn")).send(NOW)


def test_events_name_the_files_they_speak_of() -> None:
    events = [
        {"type": "document.saved", "path": "a.md"},
        {"type": "step.finished", "outputs": {"b.py": "sha256:1"}},
        {"type": "step.started", "inputs": {"c.py": "sha256:1"}},
    ]
    assert spoken_of(events) == {"a.md", "b.py"}


@pytest.mark.parametrize(
    ("remote", "told"),
    [
        ("https://ada:word@git.example/team/p.git", "https://git.example/team/p.git"),
        ("https://token@git.example", "https://git.example"),
        ("ssh://git@git.example/p@q.git", "ssh://git.example/p@q.git"),
        ("git@git.example:p.git", "git@git.example:p.git"),
        ("/srv/p.git", "/srv/p.git"),
    ],
)
def test_the_address_that_goes_along_with_a_run_has_no_secret(remote: str, told: str) -> None:
    assert without_secrets(remote) == told
