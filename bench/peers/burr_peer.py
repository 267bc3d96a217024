"""Burr with its SQLite persister."""

from __future__ import annotations

import sqlite3
from typing import Any

from burr.core import ApplicationBuilder, State, action, expr
from burr.core.persistence import SQLLitePersister
from telling import Told

told = Told()


@action(reads=["n"], writes=["n"])
def work(state: State) -> tuple[dict[str, Any], State]:
    told.executed(state["n"])
    return {}, state.update(n=state["n"] + 1)


@action(reads=["n"], writes=[])
def done(state: State) -> tuple[dict[str, Any], State]:
    return {}, state


size = 1 if told.mode == "one" else told.size
saver = SQLLitePersister.from_values(db_path=str(told.folder / "burr.db"), table_name="runs")
saver.connection.execute(f"PRAGMA synchronous={told.setting or 'FULL'}")
saver.initialize()
app = (
    ApplicationBuilder()
    .with_actions(work=work, done=done)
    .with_transitions(("work", "work", expr(f"n < {size}")), ("work", "done"))
    .initialize_from(
        saver, resume_at_next_action=True, default_state={"n": 0}, default_entrypoint="work"
    )
    .with_state_persister(saver)
    .with_identifiers(app_id="bench", partition_key="bench")
    .build()
)
told.begin()
app.run(halt_after=["done"])
told.end()
told.tell(sqlite=sqlite3.sqlite_version)
