"""What the database knows about the fleet now: workers, recent turns, the queue. A few short
reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.fleet.figures.counts import LOST, Census, Process, Queued, Total, Turn
from podium.fleet.journal.link import Link
from podium.fleet.journal.turns import READY
from podium.fleet.line import placement
from podium.fleet.line.line import BEHIND, reasons, stranded
from podium.fleet.line.queries import LIVES, SILENT, WORK

_PROCESSES = """
    select name, host, pid, labels, concurrency, version, extract(epoch from started), extract(epoch from seen),
           draining, extract(epoch from stopped), seen < clock_timestamp() - make_interval(secs => %(lease)s)
    from podium_worker where coalesce(stopped, seen) > clock_timestamp() - make_interval(secs => %(window)s)
    order by started, id
"""  # noqa: E501
_TURNS = f"""
    select t.run, t.worker, t.workflow, extract(epoch from t.ready), extract(epoch from t.opened),
           extract(epoch from case when t.closed is null and not coalesce({LIVES}, false) then greatest(r.seen, t.opened) else t.closed end),
           case when t.closed is null and not coalesce({LIVES}, false) then '{LOST}' else t.result end,
           case when t.closed is null then r.status else t.status end, t.steps
    from podium_turn as t join podium_run as r on r.id = t.run
    where t.closed is null or t.closed > clock_timestamp() - make_interval(secs => %(window)s)
    order by t.opened, t.run
"""  # noqa: E501, S608
_QUEUE = f"""
    select r.id, r.workflow, extract(epoch from coalesce({READY}, clock_timestamp())), r.needs
    from podium_run as r left join podium_turn as t on t.run = r.id and t.epoch = r.epoch
    where {WORK} and {SILENT} order by 3, 1
"""  # noqa: S608


def census(link: Link, lease_s: float, window_s: float) -> Census:
    """`lease_s`: how long somebody may be silent and still counts as alive."""
    told = {"lease": lease_s, "window": window_s}

    def look(connection: Any) -> Census:
        (at,) = connection.execute("select extract(epoch from clock_timestamp())").fetchone()
        processes = connection.execute(_PROCESSES, told).fetchall()
        turns = connection.execute(_TURNS, told).fetchall()
        queue = connection.execute(_QUEUE, told).fetchall()
        line = placement.look(connection, lease_s)
        why, nobodys = reasons(line), stranded(line)
        statuses = connection.execute(
            "select status, count(*) from podium_run where id = root group by 1"
        ).fetchall()
        return Census(
            float(at),
            window_s,
            [_process(row) for row in processes],
            [_turn(row) for row in turns],
            [_queued(row, why, nobodys) for row in queue],
            dict(statuses),
        )

    return link.do(look)


def totals(link: Link) -> list[Total]:
    """Since the database was created; counters must never go back."""
    query = """
        select worker, workflow, result, count(*), sum(steps), sum(extract(epoch from greatest(opened - ready, '0 s'::interval))),
               count(*) filter (where status in ('complete', 'cancelled'))
        from podium_turn group by 1, 2, 3 order by 1, 2, 3
    """  # noqa: E501
    rows = link.do(lambda connection: connection.execute(query).fetchall())
    return [
        Total(row[0], row[1], row[2], int(row[3]), int(row[4]), float(row[5]), int(row[6]))
        for row in rows
    ]


def _process(row: Any) -> Process:
    name, host, pid, labels, concurrency, version, started, seen, draining, stopped, silent = row
    end = float(stopped) if stopped is not None else None
    return Process(
        name,
        host,
        pid,
        tuple(labels),
        concurrency,
        version,
        float(started),
        float(seen),
        draining,
        end,
        silent,
    )


def _turn(row: Any) -> Turn:
    run, worker, workflow, ready, opened, closed, result, status, steps = row
    end = float(closed) if closed is not None else None
    return Turn(run, worker, workflow, float(ready), float(opened), end, result, status, steps)


def _queued(row: Any, why: Mapping[str, str], nobodys: frozenset[str]) -> Queued:
    run, workflow, since, needs = row
    return Queued(run, workflow, float(since), tuple(needs), why.get(run, BEHIND), run in nobodys)
