"""Whose turn it is: users, limits, needs, and the worker that had a run last."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.fleet.line.line import (
    Kind,
    Line,
    Queued,
    UnderWay,
    chosen,
    elsewhere,
    judged,
    reasons,
    takeable,
)
from podium.fleet.line.needs import Offer
from podium.fleet.line.wants import Wants

CLAUDE, CODEX, BOTH = Wants(("claude",)), Wants(("codex",)), Wants(("claude", "codex"))
W1, W2 = Offer("w1"), Offer("w2")


def kinds(line: Line, offer: Offer = W1) -> dict[str, Kind | None]:
    return {run: refusal.kind if refusal else None for run, refusal in judged(line, offer).items()}


def order(line: Line, offer: Offer = W1) -> list[str]:
    return list(judged(line, offer))


def test_a_users_runs_come_in_the_order_in_which_they_were_served_or_submitted() -> None:
    line = Line((Queued("b", since=2), Queued("c", since=1), Queued("a", since=2)), offers=(W1,))
    assert order(line) == ["c", "a", "b"]
    assert chosen(judged(line, W1)) == "c"
    assert chosen(judged(line, W1), barred=["c"]) == "a"


def test_users_take_turns_however_many_runs_one_of_them_has() -> None:
    many = tuple(Queued(f"a{number}", "anna", since=number) for number in range(4))
    line = Line(
        (*many, Queued("b0", "ben", since=99), Queued("b1", "ben", since=100)),
        offers=(replace(W1, places=9),),
        served={("anna", ""): 200.0},
    )
    assert order(line) == ["b0", "a0", "b1", "a1", "a2", "a3"]


def test_whoever_has_fewer_runs_under_way_comes_first() -> None:
    under_way = (UnderWay("x", "ben", Wants(), "w2"), UnderWay("y", "ben", Wants(), "w2"))
    waiting = (
        Queued("b", "ben", since=1),
        *(Queued(f"a{number}", "anna", since=2 + number) for number in range(3)),
    )
    line = Line(waiting, under_way, (replace(W1, places=9),), {("anna", ""): 9.0})
    assert order(line) == ["a0", "a1", "b", "a2"]


def test_runs_that_cannot_begin_anywhere_do_not_cost_their_user_a_turn() -> None:
    stuck = tuple(Queued(f"a{number}", "anna", needs=("gpu",), since=number) for number in range(5))
    line = Line(
        (
            *stuck,
            Queued("a9", "anna", since=9),
            Queued("b0", "ben", since=20),
            Queued("b1", "ben", since=21),
        ),
        offers=(replace(W1, places=9),),
    )
    mine = [run for run, refusal in judged(line, W1).items() if refusal is None]
    assert mine == ["a9", "b0", "b1"]


def test_somebody_who_has_turns_enough_with_other_agents_still_gets_one_with_a_scarce_one() -> None:
    """Ben has nothing under way and comes first else: then the agent would be his whenever it is
    free.
    """
    offer = replace(W1, places=9, limits={"agents": {"claude": 1}})
    waiting = (Queued("a", "anna", CLAUDE, since=1), Queued("b", "ben", CLAUDE, since=90))
    served = {("anna", ""): 95.0, ("ben", ""): 90.0, ("ben", "agents.claude"): 90.0}
    line = Line(waiting, (UnderWay("x", "anna", CODEX, "w2"),), (offer,), served)
    assert order(line, offer) == ["a", "b"]
    assert order(line, replace(offer, limits={})) == ["b", "a"]


def test_a_limit_counts_what_is_under_way_anywhere() -> None:
    offer = replace(W1, limits={"agents": {"claude": 2}})
    busy = (UnderWay("x", "", CLAUDE, "w2"), UnderWay("y", "", BOTH, "w1"))
    line = Line(
        (Queued("a", wants=CLAUDE), Queued("b", wants=CODEX)), busy, (replace(offer, places=9),)
    )
    verdicts = judged(line, offer)
    assert verdicts["a"] is not None
    assert (verdicts["a"].kind, verdicts["a"].text) == (
        Kind.LIMIT,
        "agents.claude: 2 of 2 under way",
    )
    assert verdicts["b"] is None
    assert kinds(replace(line, under_way=busy[1:]), offer)["a"] is None


def test_a_run_whose_agent_is_switched_off_keeps_no_place_of_others() -> None:
    offer = replace(W1, places=9, limits={"agents": {"claude": 1, "codex": 0}})
    line = Line(
        (Queued("a", wants=BOTH, since=1), Queued("b", wants=CLAUDE, since=2)), offers=(offer,)
    )
    assert kinds(line, offer) == {"a": Kind.LIMIT, "b": None}


def test_a_limit_of_none_lets_nothing_begin() -> None:
    offer = replace(W1, limits={"providers": {"acme": 0}})
    assert kinds(Line((Queued("a", wants=Wants((), ("acme",))),), offers=(offer,)), offer) == {
        "a": Kind.LIMIT
    }


def test_a_run_that_needs_two_limits_is_not_passed_for_ever_by_runs_that_need_one() -> None:
    """Without a place kept for it, one of the two would be taken whenever the other becomes
    free.
    """
    offer = replace(W1, places=9, limits={"agents": {"default": 1}})
    waiting = (
        Queued("both", wants=BOTH, since=1),
        Queued("one", wants=CODEX, since=2),
        Queued("other", wants=CLAUDE, since=3),
    )
    line = Line(waiting, (UnderWay("x", "", CLAUDE, "w1"),), (offer,))
    verdicts = judged(line, offer)
    assert kinds(line, offer) == {"both": Kind.LIMIT, "one": Kind.KEPT, "other": Kind.LIMIT}
    assert verdicts["one"] is not None
    assert (
        verdicts["one"].text == "agents.codex: the next of 1 is for both, which has waited longer"
    )
    assert chosen(judged(replace(line, under_way=()), offer)) == "both"


def test_no_place_is_kept_for_a_run_that_no_worker_can_begin() -> None:
    offer = replace(W1, places=2, limits={"agents": {"claude": 1}})
    here = UnderWay("x", "", CODEX, "w2")
    waiting = (
        Queued("a", wants=CLAUDE, needs=("gpu",), since=1),
        Queued("b", wants=CLAUDE, since=2),
    )
    assert kinds(Line(waiting, (), (offer,)), offer) == {"a": Kind.LACK, "b": None}
    full = replace(W2, labels=("gpu",))
    assert kinds(Line(waiting, (here,), (offer, full)), offer) == {"a": Kind.LACK, "b": None}
    assert kinds(Line(waiting, (), (offer, full)), offer) == {"a": Kind.LACK, "b": Kind.KEPT}
    failed = replace(full, sore=("a",))
    assert kinds(Line(waiting, (), (offer, failed)), offer) == {"a": Kind.LACK, "b": None}


def test_a_user_who_has_all_a_user_may_have_keeps_no_place_of_others() -> None:
    offer = replace(W1, places=9, limits={"users": {"default": 1}, "agents": {"claude": 2}})
    waiting = (Queued("a", "anna", CLAUDE, since=1), Queued("b", "ben", CLAUDE, since=2))
    line = Line(waiting, (UnderWay("x", "anna", CLAUDE, "w2"),), (offer,))
    assert kinds(line, offer) == {"b": None, "a": Kind.LIMIT}


def test_a_worker_takes_no_more_of_an_agent_than_it_was_told() -> None:
    offer = replace(W1, places=4, at_once={"claude": 1})
    line = Line(
        (Queued("a", wants=CLAUDE), Queued("b", wants=CODEX)),
        (UnderWay("x", "", CLAUDE, "w1"),),
        (offer, W2),
    )
    assert kinds(line, offer) == {"a": Kind.HERE, "b": None}
    assert kinds(line, W2) == {"a": None, "b": None}
    assert elsewhere(line, "a", "w1")
    assert not elsewhere(replace(line, offers=(offer,)), "a", "w1")


def test_a_run_without_the_worker_it_needs_is_left_to_others() -> None:
    programs = replace(W2, programs=("claude",))
    line = Line((Queued("a", wants=Wants(("claude",), (), ("claude",))),), offers=(W1, programs))
    assert kinds(line) == {"a": Kind.LACK}
    assert kinds(line, programs) == {"a": None}
    assert elsewhere(line, "a", "w1")


@pytest.mark.parametrize(
    ("ready_s", "last", "there", "kind"),
    [
        (1.0, "w2", (W1, W2), Kind.LAST),
        (6.0, "w2", (W1, W2), None),
        (1.0, "w1", (W1, W2), None),
        (1.0, "", (W1, W2), None),
        (1.0, "w2", (W1,), None),
        (1.0, "w2", (W1, replace(W2, sore=("a",))), None),
        (1.0, "w3", (W1, W2), None),
    ],
)
def test_a_run_is_left_to_its_last_worker_for_a_moment_if_that_lives(
    ready_s: float, last: str, there: tuple[Offer, ...], kind: Kind | None
) -> None:
    offer = replace(W1, stay_s=5.0)
    assert kinds(Line((Queued("a", last=last, ready_s=ready_s),), offers=there), offer) == {
        "a": kind
    }


def test_a_worker_on_which_a_driver_failed_leaves_the_run_to_others_for_a_while() -> None:
    assert kinds(Line((Queued("a"),), offers=(W1, W2)), replace(W1, sore=("a",))) == {
        "a": Kind.HERE
    }


def test_a_run_whose_agent_only_the_worker_knows_counts_for_that() -> None:
    offer = replace(
        W1,
        usual=Wants(("claude",), (), ("claude",)),
        programs=("claude",),
        limits={"agents": {"claude": 1}},
    )
    line = Line(
        (Queued("a", wants=Wants(unset=True)),), (UnderWay("x", "", CLAUDE, "w2"),), (offer,)
    )
    assert kinds(line, offer) == {"a": Kind.LIMIT}
    assert kinds(replace(line, under_way=()), offer) == {"a": None}
    assert kinds(replace(line, under_way=()), replace(offer, programs=())) == {"a": Kind.LACK}


LIMITED = replace(W1, limits={"agents": {"claude": 1}})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (Line((Queued("a"),)), "no worker is running"),
        (Line((Queued("a"),), offers=(W1,)), "a worker is about to take it"),
        (
            Line((Queued("a"),), (UnderWay("x", "", Wants(), "w1"),), (W1,)),
            "every place of the workers that could take it is taken",
        ),
        (
            Line((Queued("a", needs=("gpu", "big")),), offers=(W1, replace(W2, labels=("gpu",)))),
            "no worker has what it needs: label big",
        ),
        (
            Line((Queued("a", wants=CLAUDE),), (UnderWay("x", "", CLAUDE, "w2"),), (LIMITED,)),
            "agents.claude: 1 of 1 under way",
        ),
        (
            Line(
                (Queued("a", wants=CLAUDE, needs=("gpu",)),),
                (UnderWay("x", "", CLAUDE, "w2"),),
                (LIMITED, W2),
            ),
            "agents.claude: 1 of 1 under way",
        ),
        (
            Line(
                (Queued("a", last="w2", ready_s=1),),
                (UnderWay("x", "", Wants(), "w2"),),
                (replace(W1, stay_s=5), W2),
            ),
            "every place of the workers that could take it is taken",
        ),
    ],
)
def test_people_are_told_why_a_run_waits(line: Line, said: str) -> None:
    assert reasons(line) == {"a": said}


def test_the_engine_is_told_of_runs_that_some_worker_may_take_and_of_no_others() -> None:
    waiting = (
        Queued("limited", wants=CLAUDE, since=1),
        Queued("alone", needs=("gpu",), since=2),
        Queued("left", last="w2", since=3),
        Queued("free", since=4),
    )
    line = Line(
        waiting,
        (UnderWay("x", "", CLAUDE, "w2"),),
        (replace(LIMITED, stay_s=9), replace(LIMITED, worker="w2", stay_s=9)),
    )
    assert [each.run for each in takeable(line)] == ["left", "free"]


WANTS = st.sampled_from([CLAUDE, CODEX, BOTH, Wants()])
RUNS = st.lists(st.tuples(st.sampled_from(["anna", "ben", "cid"]), WANTS), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(RUNS, st.integers(1, 3), st.integers(1, 3))
def test_every_run_gets_its_turn_and_no_limit_is_passed(
    told: list[tuple[str, Wants]], places: int, cap: int
) -> None:
    """Each turn ends with the run at the back of the line, as where runs are put back after a
    step, and new ones keep coming.
    """
    offer = Offer("w1", places=places, limits={"agents": {"default": cap}, "users": {"ben": 1}})
    waiting = {
        f"r{number}": Queued(f"r{number}", user, wants, since=number)
        for number, (user, wants) in enumerate(told)
    }
    under_way: list[UnderWay] = []
    served: dict[tuple[str, str], float] = {}
    unserved = set(waiting)
    for now in range(100, 100 + 12 * len(told)):
        if len(under_way) == places:
            over = under_way.pop(0)
            waiting[over.run] = Queued(over.run, over.user, over.wants, since=now)
        line = Line(tuple(waiting.values()), tuple(under_way), (offer,), served)
        run = chosen(judged(line, offer))
        if not run:
            assert under_way
            over = under_way.pop(0)
            waiting[over.run] = Queued(over.run, over.user, over.wants, since=now)
            continue
        each = waiting.pop(run)
        unserved.discard(run)
        served |= {(each.user, key): now for key in ("", *each.wants.keys(each.user))}
        under_way.append(UnderWay(run, each.user, each.wants, "w1"))
        waiting[f"new{now}"] = Queued(f"new{now}", "anna", CLAUDE, since=now)
        for agent in ("claude", "codex"):
            assert sum(agent in one.wants.agents for one in under_way) <= cap
        assert sum(one.user == "ben" for one in under_way) <= 1
    assert not unserved
