"""What goes along to another machine: the checkout as it is, the run's folder, refs, and documents that git ignores."""

from pathlib import Path

import pytest
from tests.fakes.project import git, make

from podium.core.errors import Halted
from podium.engine.workspace import Workspace
from podium.fleet.parcels import Parcels, spoken_of
from podium.fleet.places import without_secrets
from podium.fleet.workshop import unpack, unpack_run
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


def opened(project: Path, parcel: str, name: str = "other") -> Path:
    base = project.parent
    return unpack(parcel, "R1", str(base / "remote.git"), base / name, base / "mirror.git")


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
    for name in ("journal.jsonl", "lock", "state.json", "inbox/a.json", "children/item/1/journal.jsonl"):
        write(project / ".podium/runs/R1" / name, "only here\n")
    there = opened(project, sent.send(NOW))
    assert git(there, "status", "--porcelain").splitlines() == git(project, "status", "--porcelain").splitlines()
    assert (there / "build/plan.md").read_text().startswith("ignored")
    assert not (there / "secret.log").exists()
    assert git(there, "rev-parse", "HEAD", "other") == git(project, "rev-parse", "HEAD", "other")
    assert git(there, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(there, "config", "branch.other.podium") == "R1\n"
    run = there / ".podium" / "runs" / "R1"
    assert [str(each.relative_to(run)) for each in run.rglob("*") if each.is_file()] == ["steps/build/prompt.md"]


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
    assert git(remote, "log", "--format=%s", "podium/R1").splitlines() == ["new", "old", "A small project"]
    new.tidy()
    assert git(remote, "for-each-ref", "--format=%(refname)", "refs/podium").split() == ["refs/podium/R1/2"]


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
    parcel = Parcels(Workspace.find(inner, inner / ".podium"), str(tmp_path / "remote.git"), "R1", 1).send(NOW)
    there = unpack(parcel, "R1", str(tmp_path / "remote.git"), tmp_path / "other", tmp_path / "mirror.git")
    assert there == tmp_path / "other" / "inner"
    assert (there / "src/app.py").is_file()
    assert git(there, "rev-parse", "HEAD") == git(top, "rev-parse", "HEAD")
    assert git(there, "status", "--porcelain") == ""


def test_only_the_runs_folder_can_be_looked_at(project: Path) -> None:
    sent = parcels(project)
    write(project / ".podium/runs/R1/steps/build/prompt.md", "do it\n")
    unpack_run(sent.send(NOW), "R1", sent.remote, project.parent / "window", project.parent / "mirror.git")
    assert (project.parent / "window/.podium/runs/R1/steps/build/prompt.md").read_text() == "do it\n"


def test_without_a_commit_there_is_nothing_to_send(tmp_path: Path) -> None:
    with pytest.raises(Halted, match="a first commit"):
        parcels(make(tmp_path / "project", "unborn")).send(NOW)


def test_events_name_the_files_they_speak_of() -> None:
    events = [
        {"type": "document.saved", "path": "a.md"}, {"type": "step.finished", "outputs": {"b.py": "sha256:1"}},
        {"type": "step.started", "inputs": {"c.py": "sha256:1"}},
    ]  # fmt: skip
    assert spoken_of(events) == {"a.md", "b.py"}


@pytest.mark.parametrize(
    ("remote", "told"),
    [
        ("https://ada:word@git.example/team/p.git", "https://git.example/team/p.git"), ("https://token@git.example", "https://git.example"),
        ("ssh://git@git.example/p@q.git", "ssh://git.example/p@q.git"), ("git@git.example:p.git", "git@git.example:p.git"), ("/srv/p.git", "/srv/p.git"),
    ],
)  # fmt: skip
def test_the_address_that_goes_along_with_a_run_has_no_secret(remote: str, told: str) -> None:
    assert without_secrets(remote) == told
