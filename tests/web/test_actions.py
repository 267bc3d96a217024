"""Decisions from the pages: they are those of the command line, and about what was shown."""

from __future__ import annotations

import html
import json
import threading
from pathlib import Path

import pytest
from tests.fakes.project import DESIGN, WELL, Project
from tests.fakes.ticket import TicketProject
from tests.web.conftest import GATE, Desk, desk_of, enter

from podium.core.errors import PodiumError
from podium.web.access import Access
from podium.web.actions import LONGEST
from podium.web.pages import links
from podium.web.site import Site


def _going(desk: Desk) -> list[str]:
    """Runs that were let go on, without starting anything."""
    told: list[str] = []

    class Going:
        def on(self, app: object, run: str, because: str = "") -> str:
            told.append(because or run)
            return "the run continues"

    desk.site.actions._going = Going()  # type: ignore[assignment]
    return told


def test_an_approval_is_in_the_journal_with_who_and_what(desk: Desk) -> None:
    answer = desk.decide("approve", note="Looks right")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{desk.run}")
    decided = desk.project.event("gate.decided", key=GATE)
    assert (decided["decision"], decided["by"], decided["note"]) == (
        "approved",
        "Ada",
        "Looks right",
    )
    assert decided["subject"] == desk.project.event("gate.opened", key=GATE)["subject"]
    assert "Approved." in desk.client.get(f"/runs/{desk.run}").text
    assert "Approved." not in desk.client.get(f"/runs/{desk.run}").text, "it is said once"


def test_an_inbox_that_cannot_be_read_takes_no_page_away(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(run: str) -> None:
        raise PodiumError(f"the inbox of {run} is not reachable")

    monkeypatch.setattr(desk.site.homes, "inbox", away)
    answer = desk.client.get(links.gate(desk.run, GATE))
    assert (answer.status_code, "waits for you" in answer.text) == (200, True)


def test_a_rejection_has_its_note_and_where_to_go_back_to(desk: Desk) -> None:
    assert desk.decide("reject", note="Too vague", to="design").status_code == 303
    decided = desk.project.event("gate.decided", key=GATE)
    assert (decided["decision"], decided["note"]) == ("design", "Too vague")


def test_a_stage_the_gate_cannot_send_back_to_is_refused_and_nothing_typed_is_lost(
    desk: Desk,
) -> None:
    answer = desk.decide("reject", note="My long note", to="nowhere")
    assert answer.status_code == 400
    assert "cannot send back" in html.unescape(answer.text)
    assert "My long note" in answer.text
    assert not desk.project.events("gate.decided")


def test_what_changed_since_it_was_shown_is_not_decided(desk: Desk) -> None:
    seen = desk.seen()
    desk.project.write(DESIGN, desk.project.text(DESIGN) + "\nAn agent added this.\n")
    answer = desk.decide("approve", seen=seen)
    assert answer.status_code == 409
    assert "changed since it was shown" in answer.text
    assert not desk.project.events("gate.decided")
    assert desk.decide("approve").status_code == 303, "who looks again may decide"


@pytest.mark.parametrize(
    "seen", ["", "{}", "[]", "null", "{", '{"a": 1}', '{"a": "sha256:0"}', "[" * 15_000]
)
def test_a_form_that_does_not_say_what_was_shown_decides_nothing(desk: Desk, seen: str) -> None:
    assert desk.decide("approve", seen=seen).status_code in {400, 409}
    assert not desk.project.events("gate.decided")


def test_a_second_decision_is_told_who_was_first(desk: Desk) -> None:
    seen = desk.seen()
    assert desk.decide("approve", seen=seen).status_code == 303
    answer = desk.decide("reject", seen=seen, note="No")
    assert answer.status_code == 409
    assert "approved by Ada" in answer.text
    assert desk.project.event("gate.decided")["decision"] == "approved"


def test_of_two_tabs_one_wins_and_the_other_is_told(desk: Desk) -> None:
    seen, codes = desk.seen(), {}
    others = [enter(desk.site) for _ in range(4)]
    start = threading.Barrier(len(others))

    def press(number: int) -> None:
        visitor = desk.site.access.visitor(dict(others[number].cookies))
        assert visitor is not None
        fields = {"csrf": visitor.csrf, "seen": seen, "note": f"tab {number}"}
        start.wait()
        answer = others[number].post(
            f"{links.gate(desk.run, GATE)}/approve",
            data=fields,
            headers={"origin": "http://127.0.0.1:8790"},
        )
        codes[number] = (answer.status_code, answer.text)

    threads = [threading.Thread(target=press, args=(number,)) for number in range(len(others))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(code for code, _ in codes.values()) == [303, 409, 409, 409]
    assert all(
        "by Ada" in text or "already been decided" in text
        for code, text in codes.values()
        if code == 409
    )
    assert len(desk.project.events("gate.decided")) == 1


def test_a_question_that_was_asked_anew_is_not_answered_by_an_old_page(desk: Desk) -> None:
    answer = desk.decide("approve", seen=desk.seen(), opened="2020-01-01T00:00:00Z")
    assert answer.status_code == 409
    assert "asked again" in answer.text
    assert not desk.project.events("gate.decided")


def test_a_question_is_answered_with_a_choice(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    ended = project.run(
        {"po-spec": [{"ask": {"prompt": "What is a word?", "choices": ["run", "token"]}}, WELL]}
    )
    desk, [gate] = desk_of(project), ended.gates
    assert desk.decide("answer", gate, choice="syllable").status_code == 400
    assert desk.decide("answer", gate, choice="token", text="as in a lexer").status_code == 303
    decided = project.event("gate.decided")
    assert (decided["decision"], decided["note"], decided["by"]) == (
        "token",
        "as in a lexer",
        "Ada",
    )


def test_words_alone_answer_no_question_that_has_only_its_choices(tmp_path: Path) -> None:
    made = TicketProject.at(tmp_path)
    (made.root / "src/app.py").write_text("not committed\n")
    ended = made.run({})
    desk, [gate] = desk_of(made), ended.gates
    answer = desk.decide("answer", gate, text="please stash it")
    assert (answer.status_code, "choose one of: stash, " in answer.text) == (400, True)
    assert "please stash it" in answer.text, "nothing typed is lost"
    assert desk.decide("answer", gate, choice="stash", text="please").status_code == 303


def test_an_approval_is_answered_only_with_what_it_offers(desk: Desk) -> None:
    answer = desk.decide("answer", choice="perhaps")
    assert answer.status_code == 400
    assert "podium approve" in answer.text
    assert desk.decide("answer", choice="approved").status_code == 303
    assert [each["decision"] for each in desk.project.events("gate.decided")] == ["approved"]


def test_a_note_has_an_end(desk: Desk) -> None:
    assert desk.decide("approve", note="x" * (LONGEST + 1)).status_code == 400
    assert not desk.project.events("gate.decided")


def test_a_decision_lets_the_run_go_on_where_that_was_asked(desk: Desk) -> None:
    told = _going(desk)
    desk.decide("approve", go="1")
    assert told == [desk.run]
    assert "The run continues." in desk.client.get(f"/runs/{desk.run}").text


def test_a_refused_decision_lets_nothing_go_on(desk: Desk) -> None:
    told = _going(desk)
    desk.decide("approve", seen="{}", go="1")
    assert told == []


def test_a_program_gets_its_answer_as_json(desk: Desk) -> None:
    fields = {"csrf": desk.csrf, "seen": desk.seen()}
    headers = {"origin": "http://127.0.0.1:8790", "accept": "application/json"}
    where = f"{links.gate(desk.run, GATE)}/approve"
    assert desk.client.post(where, data=fields, headers=headers).json() == {
        "ok": True,
        "say": "Approved.",
        "where": f"/runs/{desk.run}",
    }
    again = desk.client.post(where, data=fields, headers=headers)
    assert (again.status_code, again.json()["ok"]) == (409, False)


def test_a_run_is_cancelled_with_who_and_why(desk: Desk) -> None:
    assert desk.post(f"/runs/{desk.run}/cancel", reason="not needed").status_code == 303
    assert desk.project.event("run.cancelled")["reason"].startswith("not needed (by Ada)")
    again = desk.post(f"/runs/{desk.run}/cancel")
    assert again.status_code == 409


def test_a_run_that_has_ended_does_not_go_on(desk: Desk) -> None:
    told = _going(desk)
    desk.post(f"/runs/{desk.run}/cancel")
    assert desk.post(f"/runs/{desk.run}/resume").status_code == 409
    assert told == []


def test_the_name_from_the_proxy_is_who_decided(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    desk = desk_of(project)
    site = Site(project.root, Access(8790, header="x-user"), project.environ)
    done = site.actions.decide(
        project.run_id, GATE, "approve", {"seen": desk.seen()}, "grace@example.org"
    )
    assert done.ok, done
    assert project.event("gate.decided")["by"] == "grace@example.org"


def test_what_was_shown_is_what_is_on_disk_now(desk: Desk) -> None:
    opened = desk.project.event("gate.opened", key=GATE)["subject"]
    assert json.loads(desk.seen()) == opened
    desk.project.write(DESIGN, "other\n")
    assert json.loads(desk.seen()) != opened
