"""Rounds of random work in views: what Podium says was changed, and what it lands, must be what a
listing of everything before and after says.

    python -m tests.engine.views.rounds FOLDER SEED ROUNDS OPERATIONS

Each round is a small project and three layers of work, one landed over the other.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.engine.views.conftest import DATE, git
from tests.fakes.mounted import run_in

from podium.core.globs import matches
from podium.engine.git.trees import PROGRAM, Difference, between
from podium.engine.views.code_view import CodeView, Kind
from podium.engine.workspace import Checkpoint, Workspace
from podium.state.removal import remove_all

ACTOR = Path(__file__).with_name("actor.py")
LAYERS = 3
NAMES = [b"a", b"b.txt", b"caf\xc3\xa9", b"bad\xff", b"c d", b"comma,", b"run.sh", b"colon:"]
FOLDERS = [b"", b"one", b"one/two", b"one/two/three", b"other", b"bad\xfe", b"secret/plans"]
HIDDEN = ("secret/**", "one/two/a", "other/*.txt")
DEPENDENCIES = (b"node_modules", b"one/node_modules", b"other/node_modules")
Listing = dict[bytes, list[str]]


class Differs(AssertionError):
    """What was found is not what is there."""


@dataclass
class Tally:
    """What happened in all rounds."""

    operations: int = 0
    changes: int = 0
    landed: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def project(folder: Path, chance: random.Random) -> None:
    """A repository with awkward names, installed packages and generated files."""
    root = os.fsencode(folder)
    for below in FOLDERS:
        os.makedirs(os.path.join(root, below), exist_ok=True)
        for name in chance.sample(NAMES, 5):
            place = os.path.join(root, below, name)
            with open(place, "wb") as file:
                file.write(chance.randbytes(chance.choice([0, 3, 300, 9000])))
            os.chmod(place, chance.choice([0o644, 0o755]))
    os.symlink(b"one/two", os.path.join(root, b"link"))
    os.symlink(b"nowhere", os.path.join(root, b"one/broken"))
    (folder / ".gitignore").write_text("node_modules/\n*.made\n")
    (folder / "version.made").write_text("1\n")
    for dependency in DEPENDENCIES:
        place = os.path.join(root, dependency, b"package")
        os.makedirs(place)
        with open(os.path.join(place, b"index.js"), "wb") as file:
            file.write(b"exports = 1\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")


def one_round(store: Path, seed: str, operations: int, kind: Kind, tally: Tally) -> None:
    chance = random.Random(seed)
    top = store / "project, with: odd\\name"
    top.mkdir(parents=True)
    project(top, chance)
    workspace = Workspace.find(top, top / ".podium", store / "views")
    hidden = HIDDEN if chance.random() < 0.7 else ()
    point, expected = workspace.checkpoint("x", DATE), Listing()
    beside = point.beside
    for layer in range(LAYERS):
        point = Checkpoint(point.commit, point.tree, (), beside, 0 if layer else point.taken_ns)
        view = workspace.open_view(store / f"view{layer}", point, hidden=hidden, kind=kind)
        before, after, refused = worked(view, f"{seed}/{layer}", operations)
        tally.refused.update(refused)
        tally.operations += operations
        if layer and git_sees(before) != expected:
            raise Differs(f"the layer that was landed: {different(expected, git_sees(before))}")
        if kind == "overlay":
            check_paths(view, before, after)
        point, expected = landed(workspace, view, before, after, hidden, tally)
        workspace.close_view(view)
    remove_all(store)


def worked(view: CodeView, seed: str, operations: int) -> tuple[Listing, Listing, dict[str, int]]:
    done = run_in(view, f"exec '{sys.executable}' -I -S '{ACTOR}' '{seed}' {operations}")
    if done.returncode:
        raise Differs(f"the actor failed: {done.stderr.decode(errors='replace')}")
    told = json.loads(done.stdout)
    before, after = (
        {bytes.fromhex(path): facts for path, facts in told[name].items()}
        for name in ("before", "after")
    )
    return before, after, told["refused"]


def check_paths(view: CodeView, before: Listing, after: Listing) -> None:
    """Exactly the paths that differ in content, kind or mode are named, each as it is now."""
    differing = {
        path
        for path in {*before, *after}
        if before.get(path) != after.get(path) and not skipped(view, path)
    }
    named = {os.fsencode(change.path): change.after for change in view.changes()}
    if named.keys() != differing:
        missing, more = differing - named.keys(), named.keys() - differing
        raise Differs(f"not named: {sorted(missing)}, named: {sorted(more)}")
    wrong = [path for path, item in named.items() if (item is None) != (path not in after)]
    if wrong:
        raise Differs(f"named as gone or there: {wrong}")


def skipped(view: CodeView, path: bytes) -> bool:
    name = os.fsdecode(path)
    return any(name == other or name.startswith(f"{other}/") for other in view.skipped)


def landed(
    workspace: Workspace,
    view: CodeView,
    before: Listing,
    after: Listing,
    hidden: tuple[str, ...],
    tally: Tally,
) -> tuple[Checkpoint, Listing]:
    """Land what may land; returns it, and what the next view must show."""
    changes = workspace.changes(view)
    was, now = git_sees(before), git_sees(after)
    paths = {os.fsencode(change.path): change for change in changes}
    unnamed = {
        path
        for path in {*was, *now}
        if was.get(path) != now.get(path) and path not in paths and not ignored(path)
    }
    wrong = {
        path for path, change in paths.items() if change.allowed and was.get(path) == now.get(path)
    }
    if unnamed or wrong:
        raise Differs(f"not told: {sorted(unnamed)}, told although the same: {sorted(wrong)}")
    allowed = [change.path for change in changes if change.allowed]
    commit = workspace.commit(view, "r", "work", {}, DATE, allowed)
    check_commit(workspace, view, commit, allowed, now)
    expected = dict(was)
    for path in map(os.fsencode, allowed):
        expected.pop(path, None)
        if path in now and not matches(os.fsdecode(path), hidden):
            expected[path] = now[path]
    tally.changes += len(changes)
    tally.landed += len(allowed)
    return workspace.checkpoint_of(commit), expected


def check_commit(
    workspace: Workspace,
    view: CodeView,
    commit: str,
    allowed: list[str],
    now: Mapping[bytes, object],
) -> None:
    """The commit has exactly these paths, and leaves what is hidden as it is."""
    rows = between(workspace.git, view.checkpoint.tree, commit)
    if {row.path for row in rows} != set(allowed):
        raise Differs(f"committed: {rows}, allowed: {allowed}")
    wrong = [row.path for row in rows if _is_program(row) != _was_program(now, row)]
    if wrong:
        raise Differs(f"committed with another mode: {wrong}")


def _is_program(row: Difference) -> bool:
    return row.new_mode == PROGRAM


def _was_program(now: Mapping[bytes, object], row: Difference) -> bool:
    facts = now.get(os.fsencode(row.path))
    return isinstance(facts, list) and facts[1] == "program"


def git_sees(listing: Listing) -> Listing:
    """What git keeps: files with one bit of their mode, and links."""
    return {
        path: [kind, _program(kind, mode), content]
        for path, (kind, mode, content) in listing.items()
        if kind in {"file", "link"} and not in_dependencies(path)
    }


def _program(kind: str, mode: str) -> str:
    return "program" if kind == "file" and int(mode, 8) & 0o100 else ""


def in_dependencies(path: bytes) -> bool:
    brought = (*DEPENDENCIES, b"version.made")
    return any(path == place or path.startswith(place + b"/") for place in brought)


def ignored(path: bytes) -> bool:
    return b"node_modules" in path.split(b"/") or path.endswith(b".made")


def different(one: Listing, other: Listing) -> dict[bytes, object]:
    return {
        path: (one.get(path), other.get(path))
        for path in {*one, *other}
        if one.get(path) != other.get(path)
    }


def play(folder: Path, seed: str, rounds: int, operations: int, kind: Kind = "overlay") -> Tally:
    """Rounds with their own seeds; a failure names the seed of its round."""
    tally = Tally()
    for number in range(rounds):
        own = f"{seed}-{number}"
        try:
            one_round(folder / f"round{number}", own, operations, kind, tally)
        except Exception as fault:
            fault.add_note(f"seed {own}, {operations} operations a layer, {kind}")
            raise
    return tally


def main(words: list[str]) -> None:
    folder, seed, rounds, operations = Path(words[0]), words[1], int(words[2]), int(words[3])
    tally = play(folder, seed, rounds, operations)
    figures = f"{tally.operations} operations, {tally.changes} changes, {tally.landed} landed"
    lines = [f"user {os.geteuid()}: {figures}, all as listed; seed {seed}"]
    lines += [f"{count:7d}  {what}" for what, count in tally.refused.most_common()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
