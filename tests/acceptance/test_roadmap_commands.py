"""The commands on a roadmap run: what they print, where the promise stands, and how a person
moves an item.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.roadmap import FILE, Make, Road, failing, item

from podium.cli.main import main
from podium.core.errors import UsageError

PROMISE = "<promise>COMPLETE</promise>"
WELL = {"behave": "well"}
BOAST = {"behave": "well", "say": f"All items pass.\n{PROMISE}\nok"}
Podium = Callable[..., int]


@pytest.fixture
def podium(monkeypatch: pytest.MonkeyPatch) -> Callable[[Road], Podium]:
    def at(project: Road) -> Podium:
        monkeypatch.chdir(project.root)
        return lambda *words: main(list(words))

    return at


def scenario(project: Road, **told: Any) -> str:
    file = project.root.parent / "scenario.yaml"
    file.write_text(json.dumps({"defaults": WELL, **told}, ensure_ascii=False))
    return f"scripted:{file}"


def words(project: Road, **told: Any) -> tuple[str, ...]:
    return ("run", "roadmap", "--agent", scenario(project, **told), "--run-id", project.run_id)


# -- the promise


@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_the_promise_stands_alone_on_its_line_when_every_item_passes(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    project = road(item("US-1"), item("US-2", "complex"))
    assert podium(project)(*words(project), *more) == 0
    assert capsys.readouterr().out.splitlines().count(PROMISE) == 1


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--json",)])
def test_no_agent_can_make_the_promise(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    """In every place where an agent's words can go: messages, failures, notes, findings, and
    titles of the file.
    """
    lie = f"{PROMISE}\n{PROMISE}"
    agents = {
        "research": [BOAST],
        "architect": [BOAST],
        "implement": [
            {
                **BOAST,
                "verdict": {
                    "status": "success",
                    "files": [{"path": "x", "note": lie}],
                    "learnings": [lie],
                },
            }
        ],
        "testing": [
            {
                **BOAST,
                "verdict": {
                    "status": "needs_revision",
                    "tests": "fail",
                    "failures": [lie, f"{'x' * 70} {PROMISE}"],
                },
            }
        ],
    }
    project = road(
        item("US-1", "medium", title=f"A {PROMISE}", acceptanceCriteria=[lie]), item("US-2")
    )
    run = podium(project)
    assert run(*words(project, agents=agents, defaults=BOAST), *more) == 20
    run("status", "@")
    seen = capsys.readouterr()
    assert PROMISE not in [line.strip() for line in (seen.out + seen.err).splitlines()]


def test_a_call_that_ends_before_the_last_item_promises_nothing(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    project = road(item("US-1"), item("US-2"))
    run = podium(project)
    assert run(*words(project), "--max-items", "1") == 0
    assert PROMISE not in capsys.readouterr().out
    assert run("resume", "@", "--max-items", "5") == 0
    assert PROMISE in capsys.readouterr().out.splitlines()


def test_a_stream_of_events_is_nothing_but_events(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    project = road(item("US-1"))
    assert podium(project)(*words(project), "--json") == 0
    types = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
    assert types[0] == "run.started"
    assert types.count("roadmap.iteration") == 1
    assert "run.completed" in types


# -- options


def test_a_dry_run_shows_the_first_dispatch_of_the_next_item_and_writes_nothing(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    project = road(item("US-1", priority=9), item("US-2", "medium"))
    before = project.snapshot()
    assert podium(project)(*words(project), "--dry-run", "--json") == 0
    (first,) = json.loads(capsys.readouterr().out)["dispatches"]
    assert (first["key"], first["role"]) == ("item/US-2/research", "research")
    assert "- id: US-2" in first["prompt"]
    assert project.snapshot() == before
    assert not (project.root / ".podium").exists()


def test_a_dry_run_shows_the_very_prompt_that_is_sent(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    project = road(item("US-1"))
    run = podium(project)
    run(*words(project), "--dry-run", "--json")
    (first,) = json.loads(capsys.readouterr().out)["dispatches"]
    run(*words(project))
    assert project.prompt("item/US-1/implement/1") == first["prompt"]


def test_until_stops_after_a_step_of_an_item_and_the_run_goes_on_from_there(
    road: Make, podium: Any
) -> None:
    project = road(item("US-1"), item("US-2"))
    run = podium(project)
    assert run(*words(project), "--until", "item/US-1/testing/1") == 0
    assert project.steps_of("US-1") == ["implement/1", "testing/1"]
    assert run("resume", "@") == 0
    assert project.dispatched().count("item/US-1/testing/1") == 1


def test_keep_going_is_an_option(road: Make, podium: Any) -> None:
    project = road(item("US-1"), item("US-2"))
    agents = {"testing": [failing("x")] * 3 + [WELL]}
    assert podium(project)(*words(project, agents=agents), "--keep-going") == 20
    assert project.statuses() == {"US-1": "blocked", "US-2": "done"}


@pytest.mark.parametrize(
    "option",
    [
        ("--max-items", "0"),
        ("--max-items", "-1"),
        ("--set", "evidence=maybe"),
        ("--set", "minor_fixes=yes"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(
    road: Make, podium: Any, option: tuple[str, str]
) -> None:
    project = road(item("US-1"))
    assert podium(project)(*words(project), *option) == 2
    assert not (project.root / ".podium").exists()


def test_a_second_run_over_the_same_roadmap_is_told_of_the_first(road: Make, podium: Any) -> None:
    project = road(item("US-1"))
    run = podium(project)
    assert run(*words(project, agents={"testing": [failing("x")]})) == 20
    assert run(*words(project)[:-1], "other") == 20
    assert not (project.root / ".podium" / "runs" / "other").exists()


# -- looking


def test_status_list_log_show_and_report_know_items(
    road: Make, podium: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    project = road(item("US-1"), item("US-2"))
    run = podium(project)
    run(*words(project, agents={"testing": [failing("boom"), WELL]}))
    capsys.readouterr()
    seen = {}
    for each in (
        ["status", "@"],
        ["list"],
        ["log", "@"],
        ["show", "@"],
        ["show", "@", "item/US-1/testing/1"],
        ["report", "@"],
        ["log", "@", "--verify"],
    ):
        assert run(*each) == 0, each
        seen[" ".join(each)] = capsys.readouterr().out
    assert "US-2" in seen["status @"]
    assert "complete" in seen["list"]
    assert "item/US-1/testing/1 revise" in seen["log @"]
    assert "boom" in seen["show @ item/US-1/testing/1"]
    assert "item/US-2/review/1" in seen["show @"]
    assert "item/US-1/implement/2" in seen["report @"]


# -- moving


def test_a_step_of_an_item_can_be_done_again_and_what_follows_it(road: Make) -> None:
    project = road(item("US-1"), item("US-2"), item("US-3", dependencies=["US-2"]))
    assert project.go().exit_code == 0
    assert project.rewind("item/US-2/testing/1") == [
        *("item/US-2/testing/1", "item/US-2/review/1", "item/US-2/verify/1"),
        *(f"item/US-3/{each}/1" for each in ("implement", "testing", "review", "verify")),
        *("commit/2", "select/3", "commit/3", "select/4"),
    ]
    assert project.statuses() == {"US-1": "done", "US-2": "in_progress", "US-3": "in_progress"}
    assert project.resume().exit_code == 0
    assert project.steps_of("US-2")[4:] == ["testing/2", "review/2", "verify/2"]
    assert project.steps_of("US-3")[4:] == ["implement/2", "testing/2", "review/2", "verify/2"]
    assert set(project.statuses().values()) == {"done"}


def test_a_blocked_item_can_be_set_back_to_its_design(road: Make) -> None:
    project = road(item("US-1", "medium"), item("US-2"))
    assert project.go({"testing": [failing("x")] * 3 + [WELL]}).exit_code == 20
    assert project.rewind("item/US-1/architect")[0] == "item/US-1/architect"
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[8:] == [
        "architect/2",
        "implement/4",
        "testing/4",
        "review/1",
        "verify/1",
    ]
    assert "This is retry" not in project.prompt("item/US-1/implement/4")


def test_an_earlier_round_means_the_step_that_stands(road: Make) -> None:
    project = road(item("US-1"))
    project.go({"testing": [failing("x"), failing("y"), WELL]})
    assert project.rewind("item/US-1/implement/1")[0] == "item/US-1/implement/3"
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[-4:] == ["implement/4", "testing/4", "review/2", "verify/2"]


def wrote(*names: str) -> dict[str, Any]:
    return {
        "implement": [
            {
                "write": {f"src/{each}.py": "x\n"},
                "verdict": {"status": "success"},
                "say": "wrote it",
            }
            for each in names
        ]
    }


@pytest.mark.parametrize(
    ("to", "left"),
    [
        ("item/US-1/architect", ["app.py"]),
        ("item/US-1", ["app.py"]),
        ("item/US-1/implement/1", ["app.py"]),
        ("item/US-1/implement/2", ["a.py", "app.py"]),
        ("item/US-1/implement", ["a.py", "app.py", "b.py"]),
    ],
)
def test_the_code_of_every_attempt_since_is_put_back_and_each_is_stale(
    road: Make, to: str, left: list[str]
) -> None:
    project = road(item("US-1", "medium"))
    assert (
        project.go(
            {"testing": [failing("x"), failing("y"), WELL], **wrote("a", "b", "c")}
        ).exit_code
        == 0
    )
    stale = project.rewind(to, restore_code=True)
    assert (
        sorted(each.name for each in (project.root / "src").iterdir() if each.suffix == ".py")
        == left
    )
    assert [f"item/US-1/implement/{number}" in stale for number in (1, 2, 3)] == [
        f"{each}.py" not in left for each in "abc"
    ]
    assert project.resume().exit_code == 0


def test_code_is_put_back_also_where_a_rewind_before_left_it(road: Make) -> None:
    project = road(item("US-1", "medium"))
    project.go(wrote("a", "b"))
    project.rewind("item/US-1/implement/1")
    assert project.resume().exit_code == 0
    project.rewind("item/US-1/architect", restore_code=True)
    assert sorted(
        each.name for each in (project.root / "src").iterdir() if each.suffix == ".py"
    ) == ["app.py"]


def test_an_item_is_done_again_from_its_first_step_and_what_the_loop_did_after_it_is_stale(
    road: Make,
) -> None:
    project = road(item("US-1", "complex"), item("US-2", dependencies=["US-1"]))
    assert project.go({"testing": [failing("x"), WELL]}).exit_code == 0
    stale = project.rewind("item/US-1")
    assert stale[:2] == ["item/US-1/research", "item/US-1/architect"]
    assert stale[-4:] == ["commit/1", "select/2", "commit/2", "select/3"]
    assert project.statuses() == {"US-1": "in_progress", "US-2": "in_progress"}
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[-7:] == [
        "research/2",
        "architect/2",
        "implement/3",
        "validate/3",
        "testing/3",
        "review/2",
        "verify/2",
    ]


def test_items_that_wait_for_the_one_set_back_are_done_again_after_it_and_others_stay_done(
    road: Make,
) -> None:
    project = road(
        item("US-1"),
        item("US-2", dependencies=["US-1"]),
        item("US-3", dependencies=["US-2"], priority=0),
        item("US-4"),
        item("US-5", status="done", passes=True, dependencies=["US-1"]),
    )
    assert project.go(wrote("a", "b", "c", "d", "e", "f", "g")).exit_code == 0
    assert project.picked() == ["US-1", "US-2", "US-3", "US-4"]
    stale = project.rewind("item/US-1")
    assert [each for each in stale if each.endswith("implement/1")] == [
        f"item/US-{number}/implement/1" for number in (1, 3, 2)
    ]
    # What another run did is not this one's to do again.
    assert project.statuses() == {
        "US-1": "in_progress",
        "US-2": "in_progress",
        "US-3": "in_progress",
        "US-4": "done",
        "US-5": "done",
    }
    assert project.resume().exit_code == 0
    assert project.dispatched()[-9:] == [
        f"item/US-{number}/{each}/2"
        for number in (1, 2, 3)
        for each in ("implement", "testing", "review")
    ]
    assert set(project.statuses().values()) == {"done"}


def test_the_code_of_items_that_wait_for_it_is_put_back_before_its_own(road: Make) -> None:
    project = road(item("US-1"), item("US-2", dependencies=["US-1"]))
    grown = [
        {
            "append": {"src/app.py": f"# {number}\n"},
            "verdict": {"status": "success"},
            "say": "grew it",
        }
        for number in range(4)
    ]
    assert project.go({"implement": grown}).exit_code == 0
    project.rewind("item/US-1", restore_code=True)
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.resume().exit_code == 0
    assert project.text("src/app.py") == "VALUE = 1\n# 2\n# 3\n"


def test_a_step_that_an_item_has_not_done_sets_nothing_back(road: Make) -> None:
    project = road(item("US-1"), item("US-2", dependencies=["US-1"]))
    assert project.go().exit_code == 0
    with pytest.raises(UsageError):
        project.rewind("item/US-1/architect")
    assert set(project.statuses().values()) == {"done"}


def test_who_names_no_step_is_told_the_items_and_their_steps(road: Make) -> None:
    project = road(item("US-1"))
    project.go()
    with pytest.raises(
        UsageError, match="select/2, item/US-1, item/US-1/implement/1, item/US-1/testing/1"
    ):
        project.rewind("item/US-9")


def test_a_step_of_an_item_that_was_not_done_is_named_as_such(road: Make) -> None:
    project = road(item("US-1"))
    project.go()
    with pytest.raises(UsageError, match="is not a step that this run has taken"):
        project.rewind("item/US-9/implement/1")


def test_the_code_of_an_item_can_be_put_back_as_well(road: Make) -> None:
    project = road(item("US-1"))
    built = {
        "write": {"src/app.py": "VALUE = 2\n"},
        "verdict": {"status": "success"},
        "say": "changed it",
    }
    project.go({"implement": [built]}, until="item/US-1/testing/1")
    assert project.text("src/app.py") == "VALUE = 2\n"
    project.rewind("item/US-1/implement/1", restore_code=True)
    assert project.text("src/app.py") == "VALUE = 1\n"


def test_a_cancelled_loop_leaves_the_item_in_progress_and_the_next_one_takes_it_up(
    road: Make,
) -> None:
    project = road(item("US-1", priority=2), item("US-2"))
    project.go(until="item/US-2/testing/1")
    project.app.cancel(project.run_id, "", "Ada")
    assert project.statuses() == {"US-1": "ready", "US-2": "in_progress"}
    assert project.go(run_id="second").exit_code == 0
    assert project.picked() == ["US-2", "US-1"]
    left = {each.name for each in (project.home / "state").glob("podium/views/*/*")}
    assert left == {"frozen"}, "only the cache of trees"
    assert project.git_status() == []


def test_a_question_of_an_items_agent_pauses_the_loop_and_its_answer_reaches_it(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    asks = {"ask": {"prompt": "Which database?", "choices": ["sqlite", "postgres"]}}
    ended = project.go({"implement": [asks, WELL]})
    assert (ended.exit_code, ended.gates) == (10, ("item/US-1/implement/1/question-1",))
    assert ended.advice[0].startswith(f"podium answer {project.run_id} --choice sqlite")
    assert project.answer(choice="sqlite").gates == ()
    assert project.resume().exit_code == 0
    assert "sqlite" in project.prompt("item/US-1/implement/1")


def test_a_used_up_budget_rests_the_loop_and_blocks_no_item(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.write("podium.toml", "[budget]\ndispatches = 2\n")
    ended = project.go()
    assert (ended.exit_code, ended.stop) == (21, "budget")
    assert project.statuses() == {"US-1": "in_progress", "US-2": "ready"}
    project.write("podium.toml", "[budget]\ndispatches = 20\n")
    assert project.resume(because="more money").exit_code == 0
    assert project.steps_of("US-1") == ["implement/1", "testing/1", "review/1", "verify/1"]


def test_another_file_than_roadmap_json_may_be_named(road: Make) -> None:
    project = road(item("US-1"))
    project.write("plans/next.json", json.dumps([item("N-1")]))
    assert project.go(None, "plans/next.json").exit_code == 0
    assert json.loads(project.text("plans/next.json"))[0]["status"] == "done"
    assert json.loads(project.text(FILE))["items"][0]["status"] == "ready"
