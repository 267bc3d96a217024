"""Decisions as in-toto statements, and whether they are borne out later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.fakes.project import PLAN, Project

from podium.attest.checking import check
from podium.attest.journals import journal, journals
from podium.attest.statements import PREDICATE, TYPE, file_name, statements
from podium.core.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "export-approvals.md"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.at(tmp_path)
    made.run()
    made.approve(note="read it")
    return made


def exported(project: Project) -> list[dict[str, Any]]:
    return list(statements(journal(project.root, project.run_id).events))


def kept(project: Project, statement: dict[str, Any]) -> Path:
    path = project.root.parent / "statement.json"
    path.write_text(json.dumps(statement))
    return path


def test_a_statement_says_who_decided_what_about_which_files_and_where_it_is_recorded(
    project: Project,
) -> None:
    (found,) = exported(project)
    assert (found["_type"], found["predicateType"]) == (TYPE, PREDICATE)
    said = found["predicate"]
    assert (said["decision"], said["by"], said["note"], said["gate"]["kind"]) == (
        "approved",
        "Ada",
        "read it",
        "approval",
    )
    event = project.event("gate.decided")
    assert said["at"] == event["ts"]
    assert (said["journal"]["seq"], said["journal"]["hash"]) == (event["seq"], event["hash"])
    assert said["journal"]["head"]["hash"] == project.events()[-1]["hash"]
    assert {f"sha256:{each['digest']['sha256']}" for each in found["subject"]} == set(
        event["subject"].values()
    )


def test_every_statement_fits_the_schema_that_is_documented(project: Project) -> None:
    block = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    schema = json.loads(block[1])
    Draft202012Validator.check_schema(schema)
    assert not list(Draft202012Validator(schema).iter_errors(exported(project)[0]["predicate"]))


def test_the_same_journal_gives_the_same_bytes(project: Project) -> None:
    assert json.dumps(exported(project)) == json.dumps(exported(project))


def test_a_question_without_files_is_its_own_subject() -> None:
    opened = {
        "type": "gate.opened",
        "key": "ask",
        "step": "ask",
        "kind": "question",
        "prompt": "?",
        "choices": ["a"],
        "subject": {},
    }
    decided = {
        "type": "gate.decided",
        "key": "ask",
        "decision": "a",
        "by": "Ada",
        "note": "",
        "subject": {"gone.md": "missing"},
    }
    place = {"run": "R", "ts": "2026-01-01T00:00:00Z", "prev": "p"}
    events = [
        {**each, **place, "seq": seq, "hash": f"h{seq}"}
        for seq, each in enumerate((opened, decided), 1)
    ]
    (found,) = statements(events)
    assert found["subject"] == [{"name": "journal:R#1", "digest": {"sha256": "h1"}}]
    assert found["predicate"]["without_digest"] == {"gone.md": "missing"}


def test_a_statement_still_holds_when_the_journal_has_grown(project: Project) -> None:
    path = kept(project, exported(project)[0])
    project.resume()
    assert (
        len(project.events()) > json.loads(path.read_text())["predicate"]["journal"]["head"]["seq"]
    )
    found = check(project.root, path)
    assert found.holds, found
    assert len(found.checked) == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"by": "Eve"}, "predicate.by differs from the journal"),
        ({"decision": "rejected"}, "predicate.decision"),
        ({"note": ""}, "predicate.note"),
        ({"extra": 1}, "predicate.extra"),
        ({"stale": True}, "predicate.stale"),
    ],
)
def test_a_changed_member_is_named(project: Project, change: dict[str, Any], words: str) -> None:
    found = exported(project)[0]
    result = check(
        project.root, kept(project, {**found, "predicate": {**found["predicate"], **change}})
    )
    assert any(words in each for each in result.wrong), result


@pytest.mark.parametrize(
    "place",
    [
        {"run": "../x"},
        {"run": "other"},
        {"seq": 2},
        {"seq": "x"},
        {"head": None},
        {"head": {"seq": 10**6}},
        {"head": {"seq": True}},
    ],
)
def test_a_place_that_is_not_in_the_journal_is_refused(
    project: Project, place: dict[str, Any]
) -> None:
    found = exported(project)[0]
    where = {**found["predicate"]["journal"], **place}
    result = check(
        project.root,
        kept(project, {**found, "predicate": {**found["predicate"], "journal": where}}),
    )
    assert result.wrong


def test_a_file_that_changed_since_is_named_and_the_journal_is_not_blamed(project: Project) -> None:
    path = kept(project, exported(project)[0])
    project.path(PLAN).write_text("another plan\n")
    found = check(project.root, path)
    assert (found.wrong, found.changed, found.holds) == ((), (PLAN,), False)


def test_a_subject_outside_of_the_project_is_never_read(project: Project) -> None:
    from podium.core.digest import digest  # noqa: PLC0415

    secret = project.root.parent / "secret"
    secret.write_text("x")
    found = exported(project)[0]
    mark = {"sha256": digest(b"x").partition(":")[2]}
    outside = [{"name": "../secret", "digest": mark}, {"name": str(secret), "digest": mark}]
    result = check(project.root, kept(project, {**found, "subject": outside}))
    assert set(result.changed) == {"../secret", str(secret)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"_type": "x"}',
        "[" * 100_000,
        json.dumps({"_type": TYPE, "predicateType": PREDICATE, "predicate": 1}),
    ],
)
def test_what_is_no_statement_is_refused_with_its_name(project: Project, text: str) -> None:
    path = project.root.parent / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.json"):
        check(project.root, path)


def test_a_broken_journal_bears_out_nothing(project: Project) -> None:
    path = kept(project, exported(project)[0])
    file = project.folder / "journal.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"by":"Ada"', b'"by":"Eve"'))
    assert "was changed after it was written" in check(project.root, path).wrong[0]


def test_every_journal_is_looked_at_and_the_line_of_each_break_is_named(project: Project) -> None:
    assert [each.intact for each in journals(project.root, project.run_id)] == [True]
    child = project.folder / "children" / "item" / "1"
    child.mkdir(parents=True)
    (child / "journal.jsonl").write_bytes((project.folder / "journal.jsonl").read_bytes())
    file = project.folder / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:4], *lines[5:]]))
    first, second = journals(project.root, project.run_id)
    assert (first.line, second.line) == (5, 1)
    assert "has seq 6, expected 5" in first.what
    assert f"belongs to run '{project.run_id}'" in second.what


def test_a_journal_whose_end_is_gone_is_found_by_the_state(project: Project) -> None:
    file = project.folder / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-4]))
    found = journal(project.root, project.run_id)
    assert found.line == len(lines) - 3
    assert "is missing: state.json was written after event" in found.what


def test_the_name_of_a_file_tells_the_gate_and_its_round(project: Project) -> None:
    assert (
        file_name(exported(project)[0])
        == f"{project.event('gate.decided')['seq']:06d}-approve-build.json"
    )


def test_a_run_that_is_driven_meanwhile_is_not_taken_for_cut(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state may be newer than the journal that was read, but never than one read after it."""
    file = project.folder / "journal.jsonl"
    whole, state = file.read_bytes(), json.loads((project.folder / "state.json").read_text())
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join(lines[: state["seq"] - 1]))
    (project.folder / "state.json").write_text(json.dumps({**state, "seq": state["seq"] - 1}))
    read = Path.read_bytes

    def reading(path: Path) -> bytes:
        data = read(path)
        if path.name == "journal.jsonl":  # the driver goes on right behind the reader
            file.write_bytes(whole)
            (project.folder / "state.json").write_text(json.dumps(state))
        return data

    monkeypatch.setattr(Path, "read_bytes", reading)
    assert journal(project.root, project.run_id).intact
