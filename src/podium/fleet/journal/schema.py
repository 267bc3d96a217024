"""The tables of the journal in PostgreSQL, as steps from one version to the next."""

from __future__ import annotations

from typing import Any

from podium.core.errors import UsageError

LOCK = 0x706F6469
"""The advisory lock under which the tables are created: all workers may start at once."""

STEPS: tuple[str, ...] = (
    """
    create table podium_run (
        id text primary key,
        root text not null,
        token text not null,
        epoch bigint not null default 0,
        owner text not null default '',
        pid integer not null default 0,
        host text not null default '',
        opened timestamptz,
        seen timestamptz,
        status text not null default 'active',
        until timestamptz,
        parcel text not null default '',
        request text not null default ''
    );
    create index podium_run_by_root on podium_run (root);
    create index podium_run_unfinished on podium_run (status) where status not in ('complete', 'cancelled');
    create table podium_event (
        run text not null references podium_run (id),
        seq integer not null,
        epoch bigint not null,
        hash text not null,
        line text not null,
        primary key (run, seq)
    );
    create table podium_message (
        run text not null references podium_run (id),
        key text not null,
        token text not null,
        posted timestamptz not null default clock_timestamp(),
        body text not null,
        primary key (run, key)
    );
    """,  # noqa: E501
    # Workers, and every owner's time with a run: the figures of the fleet are computed from these.
    """
    alter table podium_run add column workflow text not null default '';
    alter table podium_run add column made timestamptz;
    alter table podium_run alter column made set default clock_timestamp();
    create table podium_worker (
        id text primary key,
        name text not null,
        host text not null,
        pid integer not null,
        labels text[] not null,
        concurrency integer not null,
        version text not null,
        started timestamptz not null default clock_timestamp(),
        seen timestamptz not null default clock_timestamp(),
        draining boolean not null default false,
        stopped timestamptz
    );
    create table podium_turn (
        run text not null references podium_run (id),
        epoch bigint not null,
        worker text not null,
        host text not null,
        workflow text not null,
        ready timestamptz not null,
        opened timestamptz not null,
        closed timestamptz,
        result text not null default '',
        status text not null default '',
        steps integer not null default 0,
        primary key (run, epoch)
    );
    create index podium_turn_by_time on podium_turn (opened);
    """,
    # Who owns a run, what it wants, who had it last, and what workers offer: decides who takes
    # what.
    """
    alter table podium_run
        add column submitter text not null default '',
        add column agents text[] not null default '{}',
        add column providers text[] not null default '{}',
        add column programs text[] not null default '{}',
        add column unset boolean not null default false,
        add column needs text[] not null default '{}',
        add column held_agents text[] not null default '{}',
        add column held_providers text[] not null default '{}',
        add column worker text not null default '',
        add column caller text not null default '',
        add column called timestamptz,
        add column entered timestamptz not null default clock_timestamp(),
        add column let_go timestamptz;
    update podium_run set needs = array(select json_array_elements_text(request::json -> 'needs')) where id = root and request <> '';
    create index podium_run_under_way on podium_run (seen) where seen is not null;
    create index podium_run_called on podium_run (called) where called is not null;
    create table podium_served (
        submitter text not null,
        counts_for text not null,
        at timestamptz not null,
        primary key (submitter, counts_for)
    );
    create table podium_offer (
        worker text primary key,
        body text not null,
        seen timestamptz not null default clock_timestamp()
    );
    """,  # noqa: E501
)
VERSION = len(STEPS)
ADDITIVE: frozenset[int] = frozenset()
"""Steps, counted from 1, that older versions of Podium can ignore without doing anything wrong.

A step not listed here shuts older versions out, since what they would overlook may be a rule.
"""


def floor(steps: int, additive: frozenset[int]) -> int:
    """The oldest version that may work with tables of this many steps."""
    return max((step for step in range(1, steps + 1) if step not in additive), default=0)


def migrate(connection: Any) -> None:
    """Bring the tables to this version, in one transaction. Raises UsageError if they need a
    newer Podium.
    """
    if _settled(connection):
        return
    connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
    encoding = connection.execute("show server_encoding").fetchone()[0]
    if encoding != "UTF8":
        raise UsageError(
            f"the database has the encoding {encoding}; the journal needs UTF8: make one with "
            "`createdb -E UTF8`"
        )
    connection.execute(
        "create table if not exists podium_schema (version integer not null, floor integer "
        "not null)"
    )
    connection.execute(
        "alter table podium_schema add column if not exists floor integer not null default 1"
    )
    if _settled(connection):  # another process was faster
        return
    row = connection.execute("select version from podium_schema").fetchone()
    for step in STEPS[row[0] if row else 0 :]:
        connection.execute(step)
    told = (
        "update podium_schema set version = %s, floor = %s"
        if row
        else "insert into podium_schema values (%s, %s)"
    )
    connection.execute(told, (VERSION, floor(VERSION, ADDITIVE)))


def _settled(connection: Any) -> bool:
    """Whether the tables have this version, or a newer one that this Podium can work with."""
    if connection.execute("select to_regclass('podium_schema')").fetchone()[0] is None:
        return False
    # The first tables had no floor; only a Podium that knows their version may work with them.
    row = connection.execute(
        "select version, coalesce((to_jsonb(s) ->> 'floor')::integer, version) from "
        "podium_schema as s"
    ).fetchone()
    if row is not None and row[1] > VERSION:
        raise UsageError(
            f"the journal in the database has version {row[0]}, which Podium must know from "
            f"{row[1]} on; this one knows {VERSION}: "
            "use the Podium that made it, or a newer one"
        )
    return row is not None and row[0] >= VERSION
