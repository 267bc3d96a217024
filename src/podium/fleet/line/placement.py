"""Runs, workers and limits in the database: who waits, who is at work, and how to take a run within
the limits.

What counts towards a limit is a lease: a run is under way if its owner reported recently. So a dead
owner's place becomes free when its lease expires, and nothing needs to be given back. Whoever opens
a run counts first, under a lock for each of its limits, so no two can claim the same last place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from podium.core.errors import Busy
from podium.core.history import CANCEL
from podium.fleet.line.line import Line, Queued, UnderWay
from podium.fleet.line.needs import Offer
from podium.fleet.line.queries import LIVES, SILENT, WORK
from podium.fleet.line.wants import NONE, Limits, Wants, limited, read

LOCKS = 0x706F64
"""The first number of the advisory locks under which the runs of a limit are counted."""
CALL_S = 15.0
"""How long a run is reserved for the worker that is about to open it: as long as a process may
take to start.
"""
ALIKE = 50
"""How many similar runs are examined, so that a long line costs no more than a short one."""
FORGET_S = 86_400.0

_CALLED = "r.called > clock_timestamp() - make_interval(secs => %(call)s)"
_FREE = f"coalesce(not {_CALLED}, true)"
_ENDS = f"exists (select from podium_message as m where m.run = r.id and m.key = '{CANCEL}')"
"""Somebody cancelled the run: what is left to do needs no agent and must not wait for one."""
_WAITING = f"""
    select id, submitter, agents, providers, programs, unset, needs, extract(epoch from since), worker,
           extract(epoch from clock_timestamp() - ready), ends
    from (
        select r.*, coalesce(r.opened, r.entered) as since,
               greatest(r.entered, r.let_go, case when r.seen is not null then r.seen + make_interval(secs => %(lease)s) end,
                        case when r.status = 'sleeping' then r.until end,
                        (select max(m.posted) from podium_message as m where m.run = r.id)) as ready,
               {_ENDS} as ends,
               row_number() over (partition by r.submitter, r.agents, r.programs, r.needs, {_ENDS}
                                  order by coalesce(r.opened, r.entered), r.id) as place
        from podium_run as r where {WORK} and {SILENT} and {_FREE}
    ) as q
    where place <= %(alike)s
"""  # noqa: E501, S608
_UNDER_WAY = f"""
    select id, submitter, held_agents, held_providers, case when {_CALLED} then caller else worker end
    from podium_run as r where r.id = r.root and ({LIVES} or {_CALLED})
"""  # noqa: E501, S608
_COUNTS = {
    "agents": (
        "select count(*) from podium_run as r where r.id <> %(run)s and %(name)s = any "  # noqa: S608
        f"(r.held_agents) and ({LIVES}"
    ),
    "providers": (
        "select count(*) from podium_run as r where r.id <> %(run)s and %(name)s = any "  # noqa: S608
        f"(r.held_providers) and ({LIVES}"
    ),
    "users": (
        "select count(*) from podium_run as r where r.id <> %(run)s and r.submitter = %(name)s "  # noqa: S608
        f"and ({LIVES}"
    ),
}


class Full(Busy):
    """A limit of the fleet is reached: the run waits in line."""


@dataclass(frozen=True)
class Terms:
    """The terms on which a worker takes a run."""

    worker: str
    limits: Limits = field(default_factory=dict)
    usual: Wants = NONE


def enter(connection: Any, run: str, request: Mapping[str, Any]) -> None:
    """Put a new run into the line: who owns it, and what it wants."""
    wants = read(request.get("wants", {}))
    connection.execute(
        (
            "update podium_run set submitter = %s, agents = %s, providers = %s, programs = %s, "
            "unset = %s, needs = %s where id = %s"
        ),
        (
            str(request.get("user", "")),
            list(wants.agents),
            list(wants.providers),
            list(wants.programs),
            wants.unset,
            sorted(map(str, request.get("needs", ()))),
            run,
        ),
    )


def claim(connection: Any, run: str, terms: Terms, lease_s: float) -> None:
    """For a run that this transaction holds and is about to open. Raises Full if a limit has no
    place left.
    """
    user, wants, caps = _held(connection, run, terms)
    _refuse_over(connection, run, caps, lease_s, "false")
    connection.execute(
        (
            "update podium_run set worker = %s, held_agents = %s, held_providers = %s, called = "
            "null, caller = '' where id = %s"
        ),
        (terms.worker, list(wants.agents), list(wants.providers), run),
    )
    connection.execute(
        "insert into podium_served (submitter, counts_for, at) select %s, each, "
        "clock_timestamp() from unnest(%s::text[]) as each"
        " on conflict (submitter, counts_for) do update set at = excluded.at",
        (user, sorted({"", *wants.keys(user)})),
    )


def call(connection: Any, run: str, terms: Terms, lease_s: float) -> bool:
    """Reserve a run for a worker that is about to open it, so that others start no process for
    it. Returns success.
    """
    query = f"""
        select 1 from podium_run as r where r.id = %(run)s and {WORK} and {SILENT} and ({_FREE} or r.caller = %(worker)s) for update
    """  # noqa: E501, S608
    told = {"run": run, "worker": terms.worker, **_times(lease_s)}
    if connection.execute(query, told).fetchone() is None:
        return False
    _, wants, caps = _held(connection, run, terms)
    try:
        _refuse_over(connection, run, caps, lease_s, _CALLED)
    except Full:
        return False
    connection.execute(
        (
            "update podium_run set called = clock_timestamp(), caller = %s, held_agents = %s, "
            "held_providers = %s where id = %s"
        ),
        (terms.worker, list(wants.agents), list(wants.providers), run),
    )
    return True


def call_off(connection: Any, run: str, worker: str) -> None:
    connection.execute(
        "update podium_run set called = null, caller = '' where id = %s and caller = %s",
        (run, worker),
    )


def offer(connection: Any, mine: Offer) -> None:
    """Report that a worker is alive, and what it has."""
    body = json.dumps(asdict(mine), sort_keys=True)
    connection.execute(
        "insert into podium_offer (worker, body) values (%s, %s)"
        " on conflict (worker) do update set body = excluded.body, seen = clock_timestamp()",
        (mine.worker, body),
    )
    connection.execute(
        "delete from podium_offer where seen < clock_timestamp() - make_interval(secs => %s)",
        (FORGET_S,),
    )


def withdraw(connection: Any, worker: str) -> None:
    """The worker takes no more runs."""
    connection.execute("delete from podium_offer where worker = %s", (worker,))


def look(connection: Any, lease_s: float) -> Line:
    """The line as it is now."""
    told = {**_times(lease_s), "alike": ALIKE}
    waiting = connection.execute(_WAITING, told).fetchall()
    under_way = connection.execute(_UNDER_WAY, told).fetchall()
    offers = connection.execute(
        (
            "select body from podium_offer as r where seen > clock_timestamp() - "
            "make_interval(secs => %(lease)s) order by worker"
        ),
        told,
    ).fetchall()
    served = connection.execute(
        "select submitter, counts_for, extract(epoch from at) from podium_served"
    ).fetchall()
    return Line(
        tuple(_queued(row) for row in waiting),
        tuple(
            UnderWay(run, user, Wants(tuple(agents), tuple(providers)), worker)
            for run, user, agents, providers, worker in under_way
        ),
        tuple(_offer(body) for (body,) in offers),
        {(user, key): float(at) for user, key, at in served},
    )


def _refuse_over(
    connection: Any, run: str, caps: Mapping[str, int], lease_s: float, called: str
) -> None:
    """Locks are taken in the order of the keys, so two that want the same limits cannot block
    each other.
    """
    for key, cap in sorted(caps.items()):
        connection.execute("select pg_advisory_xact_lock(%s, hashtext(%s))", (LOCKS, key))
        kind, _, name = key.partition(".")
        told = {"run": run, "name": name, **_times(lease_s)}
        (count,) = connection.execute(f"{_COUNTS[kind]} or {called})", told).fetchone()
        if count >= cap:
            raise Full(f"run {run} waits: {key}: {count} of {cap} under way")


def _held(connection: Any, run: str, terms: Terms) -> tuple[str, Wants, dict[str, int]]:
    """Who owns the run, what it holds on these terms, and the limits that apply."""
    query = (
        f"select submitter, agents, providers, programs, unset, {_ENDS} from podium_run as r "  # noqa: S608
        "where id = %s"
    )
    user, agents, providers, programs, unset, ends = connection.execute(query, (run,)).fetchone()
    wants = (
        NONE
        if ends
        else Wants(tuple(agents), tuple(providers), tuple(programs), unset).settled(terms.usual)
    )
    return user, wants, {} if ends else limited(terms.limits, wants.keys(user))


def _times(lease_s: float) -> dict[str, float]:
    return {"lease": lease_s, "call": min(CALL_S, lease_s)}


def _queued(row: Any) -> Queued:
    run, user, agents, providers, programs, unset, needs, since, worker, ready_s, ends = row
    if ends:
        return Queued(run, user, since=float(since), ready_s=float(ready_s), ends=True)
    wants = Wants(tuple(agents), tuple(providers), tuple(programs), unset)
    return Queued(run, user, wants, tuple(needs), float(since), worker, float(ready_s))


def _offer(body: str) -> Offer:
    """An offer; fields that only a newer worker knows are ignored."""
    told: dict[str, Any] = {
        name: value
        for name, value in json.loads(body).items()
        if name in Offer.__dataclass_fields__
    }
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
    }
    plain["usual"] = read(told.get("usual", {}))
    return Offer(**plain)
