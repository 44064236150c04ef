"""LangGraph with its SQLite saver: `python -m tests.bench.peers.with_langgraph FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypedDict
from uuid import uuid4

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from tests.bench.peers import turns


class Left(TypedDict):
    """How many steps are still to be done: a graph ends by its state."""

    left: int


def _step(state: Left) -> Left:
    return {"left": state["left"] - 1}


def _acts(saver: SqliteSaver) -> dict[str, Callable[[int], object]]:
    building = StateGraph(Left)
    building.add_node("step", _step)
    building.add_edge(START, "step")
    building.add_conditional_edges("step", lambda state: "step" if state["left"] else END, ["step", END])
    graph = building.compile(checkpointer=saver)

    def steps(number: int) -> object:
        of_its_own = {"configurable": {"thread_id": uuid4().hex}, "recursion_limit": number + 1}
        return graph.invoke({"left": number}, of_its_own)

    return {"steps": steps, "workflows": lambda number: [steps(1) for _number in range(number)]}


def main() -> None:
    """Serve until there is nothing more to do."""
    turns.stay_here()
    with SqliteSaver.from_conn_string(f"{sys.argv[1]}/langgraph.sqlite") as saver:
        turns.serve(_acts(saver))


if __name__ == "__main__":
    main()
