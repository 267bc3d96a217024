"""LangGraph with its SQLite saver, `durability="sync"`."""

from __future__ import annotations

import operator
import sqlite3
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from telling import Told

told = Told()
size = 1 if told.mode == "one" else told.size


class State(TypedDict):
    n: int
    made: Annotated[list[int], operator.add]


def work(state: State) -> dict[str, Any]:
    told.executed(state["n"])
    return {"n": state["n"] + 1}


def part(state: dict[str, Any]) -> dict[str, Any]:
    told.executed(state["at"])
    return {"made": [state["at"]]}


graph = StateGraph(State)
if told.mode == "fan":
    graph.add_node("part", part)
    graph.add_conditional_edges(
        START, lambda _: [Send("part", {"at": at}) for at in range(size)], ["part"]
    )
    graph.add_edge("part", END)
else:
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    graph.add_conditional_edges(
        "work", lambda state: END if state["n"] >= size else "work", ["work", END]
    )
connection = sqlite3.connect(told.folder / "langgraph.db", check_same_thread=False)
connection.execute("PRAGMA synchronous=FULL")
app = graph.compile(checkpointer=SqliteSaver(connection))
config: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": size + 10}
told.begin()
app.invoke(None if told.mode == "rest" else {"n": 0, "made": []}, config, durability="sync")
told.end()
told.tell()
