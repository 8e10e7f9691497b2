"""The LangGraph graph under test, and how each checkpointer is opened."""
from __future__ import annotations

import base64
import contextlib
import operator
import os
import random
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

# Texts that do not compress, so that no layer below can make the figures look small.
_RNG = random.Random(7)


def text(size: int, pool: dict[int, list[str]] = {}) -> str:
    if size not in pool:
        pool[size] = [base64.b64encode(_RNG.randbytes(size)).decode()[:size] for _ in range(64)]
    return _RNG.choice(pool[size])


SAVERS = ("none", "memory", "sqlite", "asqlite")


class SmallState(TypedDict):
    step: int
    limit: int
    last: str
    payload: str  # a constant pad, so that the whole state is about `kb` KiB


class GrowState(TypedDict):
    step: int
    limit: int
    last: str
    messages: Annotated[list, operator.add]  # appended to by every step


def build(state: str, kb: float, checkpointer: Any):
    """architect -> developer <-> reviewer, until `limit` super-steps have run.

    Nodes do nothing but count, so what is measured is the engine.
    state='small': the state has a fixed size of about kb KiB.
    state='grow' : each step appends one message of kb KiB (reducer: list +).
    """
    size = int(kb * 1024)
    schema = GrowState if state == "grow" else SmallState

    def node(name: str):
        def body(s):
            step = s["step"] + 1
            out: dict[str, Any] = {"step": step, "last": name}
            if state == "grow":
                out["messages"] = [{"role": name, "content": text(size)}]
            return out

        body.__name__ = name
        return body

    def route(s):
        if s["step"] >= s["limit"]:
            return END
        return "reviewer" if s["last"] == "developer" else "developer"

    g = StateGraph(schema)
    for name in ("architect", "developer", "reviewer"):
        g.add_node(name, node(name))
    g.add_edge(START, "architect")
    g.add_edge("architect", "developer")
    g.add_conditional_edges("developer", route, ["reviewer", "developer", END])
    g.add_conditional_edges("reviewer", route, ["developer", END])
    return g.compile(checkpointer=checkpointer)


def initial(state: str, n: int, kb: float) -> dict:
    base: dict[str, Any] = {"step": 0, "limit": n, "last": ""}
    if state == "grow":
        base["messages"] = []
    else:
        base["payload"] = text(int(kb * 1024))
    return base


def config(n: int) -> dict:
    return {"recursion_limit": n + 10, "configurable": {"thread_id": uuid.uuid4().hex}}


@contextlib.contextmanager
def open_sync(saver: str, where: str):
    """where: the SQLite file."""
    if saver == "none":
        yield None
    elif saver == "memory":
        from langgraph.checkpoint.memory import InMemorySaver
        yield InMemorySaver()
    elif saver == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver
        with SqliteSaver.from_conn_string(where) as s:
            s.setup()
            yield s
    else:
        raise ValueError(saver)


@contextlib.asynccontextmanager
async def open_async(saver: str, where: str):
    if saver == "none":
        yield None
    elif saver == "memory":
        from langgraph.checkpoint.memory import InMemorySaver
        yield InMemorySaver()
    elif saver == "asqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
        async with AsyncSqliteSaver.from_conn_string(where) as s:
            await s.setup()
            yield s
    else:
        raise ValueError(saver)


def fresh_file(path: str) -> str:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path + suffix)
    return path
