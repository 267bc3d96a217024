"""Gates answered where they open, by a person at a real pseudo-terminal."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Terminals
from tests.cli.waiting import RUN, decisions, events, journal, make, podium
from tests.fakes.pseudo_terminal import PseudoTerminal

from podium.cli.demos import project as demo

pytestmark = pytest.mark.terminal
KEYS = r"a approve   r reject   v read it   d diff   l later"
ASKS = """\
defaults: {behave: well}
agents:
  feature-design:
    - {ask: {prompt: "Which way?", choices: [core, plugin]}}
    - {ask: {prompt: "And how fast?"}}
    - {behave: well}
"""


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def at_rest(term: PseudoTerminal) -> None:
    """The keys are there as soon as the gate opens; the engine has let go of the run a moment
    later.
    """
    term.see(KEYS)
    term.see("waits for you  ")
    time.sleep(1)


def test_a_run_is_approved_at_both_gates_and_completes_in_the_same_process(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready)
    term.see(KEYS)
    assert "podium approve" not in term.text
    term.press("a", "approve, note: ")
    term.press("looks goo\x7fod\r", "Your turn: approve-completion")
    term.see(KEYS)
    term.press("a", "approve, note: ")
    term.press("\r", "Complete after")
    assert term.ends() == 0
    assert decisions(ready) == [
        ("approve-build", "approved", "Ada", "looks good"),
        ("approve-completion", "approved", "Ada", ""),
    ]
    # The decision is about the bytes that were shown.
    opened, decided = (
        next(each for each in journal(ready) if each["type"] == kind)
        for kind in ("gate.opened", "gate.decided")
    )
    assert opened["subject"] == decided["subject"] != {}


def test_a_rejection_with_a_note_sends_the_run_back_to_the_chosen_step(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready)
    term.see(KEYS)
    term.press("r", "1 specification   2 design")
    term.press("2", "reject, note to design: ")
    term.press("\r", "say why")
    term.press("use the standard library\r", r"Your turn: approve-build/2")
    assert re.search(r"✓ specification +po-spec", term.text)
    assert re.search(r"✓ design +round 2", term.text)
    term.see(KEYS)
    term.press("l")
    assert term.ends() == 10
    assert decisions(ready) == [("approve-build", "design", "Ada", "use the standard library")]
    prompts = [path.read_text() for path in (ready / ".podium/runs/R1/steps").rglob("prompt.md")]
    assert any("use the standard library" in text for text in prompts)


def test_what_is_decided_about_is_read_in_place_and_nothing_in_it_is_obeyed(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready, height=24)
    term.see(KEYS)
    term.press("v", "what you decide about  lines 1 to 21 of")
    assert "Start Build?" in term.text
    term.press("n", "── harness/artifacts/design")
    term.press("G", "q  back")
    term.press("q", KEYS)
    term.press("d", "the files are as the steps wrote them")
    term.press("q", KEYS)
    plan = ready / "harness/artifacts/plans/T001-implementation-plan.md"
    plan.write_text(plan.read_text() + "\nOne more \x1b[2Jline\x1b]0;owned\x07.\n")
    term.press("d", "changed since implementation-planning")
    term.see(r"\+One more ␛\[2Jline␛\]0;owned␇\.")
    assert b"\x1b[2J" not in term.data
    term.press("q", KEYS)
    term.press("l")
    assert term.ends() == 10


def test_a_file_that_changed_after_it_was_shown_is_said_and_asked_about_again(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready)
    term.see(KEYS)
    plan = ready / "harness/artifacts/plans/T001-implementation-plan.md"
    plan.write_text(plan.read_text() + "\nAnd a back door.\n")
    term.press("a", "approve, note: ")
    term.press("\r", r"changed since it was shown; nothing was\s+decided. Look again")
    assert decisions(ready) == []
    assert re.search(
        r"T001-implementation-plan.md +[0-9a-f]{12}  changed since the gate opened", term.text
    )
    term.press("d", "And a back door")
    term.press("q", KEYS)
    term.press("a", "approve, note: ")
    term.press("\r", "Your turn: approve-completion")
    term.see(KEYS)
    term.press("l")
    assert term.ends() == 10
    assert [each[1] for each in decisions(ready)] == ["approved"]


def test_a_gate_that_was_decided_elsewhere_sends_the_run_on_here(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready)
    term.see(KEYS)
    term.press("a", "approve, note: ")
    assert (
        podium(
            "approve", "R1", "--note", "from afar", cwd=ready, env={"PODIUM_USER": "Grace"}
        ).returncode
        == 0
    )
    term.see("Your turn: approve-completion")
    assert "approved by Grace" in term.text
    term.see(KEYS)
    term.press("l")
    assert term.ends() == 10
    assert decisions(ready) == [("approve-build", "approved", "Grace", "from afar")]


def test_a_run_that_somebody_else_decided_and_drives_is_left_to_them(
    terminal: Terminals, tmp_path: Path
) -> None:
    project = make(tmp_path / "project", "defaults: {behave: well, sleep: 3}\n")
    term = terminal(RUN, project)
    term.see(KEYS)
    theirs = podium("approve", "R1", "--go", cwd=project, env={"PODIUM_USER": "Grace"})
    ours = term.ends() if theirs.returncode == 10 else 10
    # On a slow machine the one who waits may be first; only one of them drives.
    assert sorted([theirs.returncode, ours]) == [10, 40]
    said = re.sub(r"\s+", " ", term.text if ours == 40 else theirs.stderr)
    assert re.search(r"drives run R1\. .*follow it with ?`podium watch R1`", said)
    assert "next  podium resume R1" not in term.text


@pytest.mark.parametrize("keys", ["l", "\x03"], ids=["later", "ctrl-c"])
def test_a_gate_left_open_ends_the_command_with_ten_and_the_commands_that_decide_it(
    terminal: Terminals, ready: Path, keys: str
) -> None:
    term = terminal(RUN, ready)
    at_rest(term)
    assert not term.echoes()
    term.press(keys, "next  podium approve R1 --go")
    assert term.ends() == 10
    assert term.echoes()
    assert decisions(ready) == []
    assert not term.screen.cursor.hidden


def test_what_was_typed_before_the_question_answers_nothing(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready)
    term.press("a\r\r")
    term.see(KEYS)
    term.press("l")
    assert term.ends() == 10
    assert decisions(ready) == []


@pytest.mark.parametrize("asked", [True, False])
def test_what_is_typed_while_agents_work_leaves_no_mark_on_the_board(
    terminal: Terminals, tmp_path: Path, asked: bool
) -> None:
    ready = make(tmp_path / "project", "defaults: {behave: well, sleep: 1}\n")
    with (ready / "podium.toml").open("a") as settings:
        settings.write(f"\n[ui]\nask = {str(asked).lower()}\n")
    term = terminal(RUN, ready)
    term.see("specification .* po-spec")
    term.press("\r\rxyz\r", "design .* feature-design .* 0.[5-9]s")
    term.press("\r\r", "implementation-planning .* tech-lead .* 0.[5-9]s")
    assert [term.text.count(each) for each in ("T001 — ", " specification ", "xyz")] == [1, 1, 0], (
        term.text
    )
    term.see(KEYS if asked else "Paused for your decision")
    term.press("l" if asked else "")
    assert term.ends() == 10
    assert term.echoes()


def test_without_colour_the_keys_and_bars_can_be_told_and_a_smaller_window_is_drawn_anew(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready, env={"NO_COLOR": "1"})
    term.see(KEYS)
    assert not re.search(rb"\x1b\[[0-9;]*m", term.data)
    assert re.search("━━+──+", term.text)
    term.resize(70, 18)
    term.see(r"(?m)^   a approve   r reject   v read it   d diff   l later$")
    term.press("v", "lines 1 to 15 of")
    term.press("q", KEYS)
    assert term.text.count("Your turn: approve-build") == 1
    term.press("l")
    assert term.ends() == 10


def test_resume_asks_at_the_gate_it_finds_and_a_narrow_low_terminal_shows_the_keys_too(
    terminal: Terminals, ready: Path
) -> None:
    assert podium(*RUN, cwd=ready).returncode == 10
    term = terminal(["resume"], ready, width=60, height=16)
    term.see("a approve   r reject")
    assert all(len(line) <= 60 for line in term.lines)
    term.resize(100, 30)
    term.see(KEYS)
    term.press("a", "approve, note: ")
    term.press("\r", "Your turn: approve-completion")
    at_rest(term)
    term.process.send_signal(signal.SIGINT)
    assert term.ends() == 10


@pytest.mark.parametrize(
    ("words", "env"),
    [
        (["--json"], {}),
        (["--quiet"], {}),
        ([], {"PODIUM_UI__ASK": "false"}),
    ],
    ids=str,
)
def test_nobody_is_asked_by_programs_and_those_who_do_not_want_it(
    terminal: Terminals, ready: Path, words: list[str], env: dict[str, str]
) -> None:
    term = terminal([*RUN, *words], ready, env=env)
    assert term.ends() == 10
    assert "a approve" not in term.text


@pytest.mark.parametrize("mark", [{"PODIUM_AGENT": "1"}, {"PODIUM_DISPATCH": "x"}], ids=str)
def test_agents_start_no_run_and_are_asked_nothing_in_one_that_waits(
    terminal: Terminals, ready: Path, mark: dict[str, str]
) -> None:
    term = terminal(RUN, ready, env=mark)
    assert term.ends() == 2
    assert "runs are started and continued by people" in term.text
    assert not (ready / ".podium/runs/R1").exists()
    assert podium(*RUN, cwd=ready).returncode == 10
    for words, said in (
        (["resume"], "runs are started and continued by people"),
        (["approve", "R1"], "decisions are for people"),
    ):
        term = terminal(words, ready, env=mark)
        assert term.ends() == 2
        assert said in term.text
        assert "a approve" not in term.text
    assert decisions(ready) == []


def test_a_question_is_answered_by_the_number_of_a_choice_and_in_words(
    terminal: Terminals, tmp_path: Path
) -> None:
    project = make(tmp_path / "project", ASKS)
    term = terminal(RUN, project)
    term.see("Which way")
    term.see(r"1 core   2 plugin\n +1 to 2: choose   t answer in words")
    term.press("2", "And how fast")
    term.see("t answer in words")
    term.press("t", "answer: ")
    term.press("as fast as it can\r", KEYS)
    term.press("l")
    assert term.ends() == 10
    assert [each[1::2] for each in decisions(project)] == [
        ("plugin", ""),
        ("answered", "as fast as it can"),
    ]


def test_a_person_who_plays_a_role_is_asked_for_decisions_and_for_work_one_after_the_other(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal([*RUN, "--role", "build=human"], ready)
    term.see(r"a approve .*\n >")
    term.press("a\n", r"approve, note.*\n.*\n >")
    term.press("\n", r"build/1 is yours (?s:.*)q and Enter: pause\n>")
    term.press("q\n", "Paused for your decision")
    assert term.ends() == 10
    # Who pauses their own work is not asked about it at once.
    assert "1 choose" not in term.text
    assert decisions(ready) == [("approve-build", "approved", "Ada", "")]


def test_ctrl_c_pauses_a_step_that_a_person_does_at_once(terminal: Terminals, ready: Path) -> None:
    term = terminal([*RUN, "--role", "po-spec=human"], ready)
    term.see(r"specification is yours (?s:.*)q and Enter: pause\n>")
    term.press("\x03", "Paused for your decision")
    assert term.ends() == 10
    assert "specification is yours to do (paused at the terminal)" in term.text


def test_without_a_terminal_that_can_be_painted_the_question_is_asked_in_lines(
    terminal: Terminals, ready: Path
) -> None:
    term = terminal(RUN, ready, env={"TERM": "dumb"})
    term.see(r"a approve .*\n >")
    assert b"\x1b" not in term.data
    term.press("v\n", r"(?s)Proceeding Validly: Yes.*a approve .*\n >")
    term.press("r\n", r"2 design.*\n.*\n >")
    term.press("2\n", r"note to design.*\n.*\n >")
    term.press("not yet\n", r"(?s)approve-build/2 waits.*a approve .*\n >")
    term.press("l\n", "Paused for your decision")
    assert term.ends() == 10
    assert decisions(ready) == [("approve-build", "design", "Ada", "not yet")]


def test_a_question_of_one_agent_is_answered_while_another_is_still_at_work(
    terminal: Terminals, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    story = demo.make(project, "governed", 0.0)
    scenario = dict(story.scenario)
    known = scenario["keys"]
    slow = {
        "behave": "well",
        "write": {"textkit/slugs.py": "def slug(title: str) -> str:\n    return title\n"},
        "sleep": 8,
    }
    asks, answered = known["wave/2/phase/3/execute/1"], known["wave/1/phase/1/execute/2"]
    scenario["keys"] = {
        "wave/1/phase/1/execute/1": asks,
        "wave/1/phase/1/execute/2": answered,
        "wave/1/phase/2/*": [slow],
    }
    (tmp_path / "scenario.yaml").write_text(json.dumps(scenario))
    words = [
        "run",
        "governed",
        *story.inputs,
        "--agent",
        f"scripted:{tmp_path}/scenario.yaml",
        "--run-id",
        "R1",
        "--yes-i-approve-all-gates",
    ]
    term = terminal(words, project, width=110, height=40)
    term.see(r"1 words   2 signs")
    assert re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] wave/1/phase/2", term.text)
    assert re.search(r"◆ wave/1/phase/1", term.text)
    term.press("1", r"✓ \S+ answered: words")
    assert re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] wave/1/phase/2", term.text)
    assert term.ends() == 0
    told = [
        each
        for each in events(project)
        if each["type"] == "gate.decided" and each["decision"] == "words"
    ]
    assert [(each["by"], each["run"]) for each in told] == [("Ada", "R1/wave/1/phase/1")]
