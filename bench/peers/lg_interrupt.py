"""LangGraph: human-approval gate. Time to reach an interrupt and time to resume from it.

One node calls interrupt(); the graph is invoked (-> paused), then resumed with
Command(resume=...). `history_kb` puts that much message history in the state first.

  python lg_interrupt.py --saver asqlite --rounds 200
"""
from __future__ import annotations

import argparse
import asyncio
import operator
import os
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from common import emit, pct, versions
import lg_common as lg


class S(TypedDict):
    ok: bool
    messages: Annotated[list, operator.add]


def build(saver):
    def plan(s):
        return {"ok": False}

    def gate(s):
        return {"ok": interrupt({"ask": "approve?"})}

    def work(s):
        return {"ok": s["ok"]}

    g = StateGraph(S)
    g.add_node("plan", plan)
    g.add_node("gate", gate)
    g.add_node("work", work)
    g.add_edge(START, "plan")
    g.add_edge("plan", "gate")
    g.add_edge("gate", "work")
    g.add_edge("work", END)
    return g.compile(checkpointer=saver)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--saver", choices=lg.SAVERS[1:], default="asqlite")
    p.add_argument("--rounds", type=int, default=200)
    p.add_argument("--history-kb", type=int, default=1)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    base = a.dir or tempfile.mkdtemp(prefix="lgint")
    start, resume = [], []
    hist = [{"role": "u", "content": "x" * 1024} for _ in range(a.history_kb)]
    is_async = a.saver == "asqlite"
    where = lg.fresh_file(os.path.join(base, f"lgi_{os.getpid()}.db"))

    async def go_async():
        async with lg.open_async(a.saver, where) as saver:
            g = build(saver)
            for _ in range(a.rounds):
                c = lg.config(20)
                t0 = time.perf_counter()
                out = await g.ainvoke({"ok": False, "messages": hist}, c)
                t1 = time.perf_counter()
                assert "__interrupt__" in out
                out = await g.ainvoke(Command(resume=True), c)
                t2 = time.perf_counter()
                assert out["ok"] is True
                start.append(1e3 * (t1 - t0))
                resume.append(1e3 * (t2 - t1))

    def go_sync():
        with lg.open_sync(a.saver, where) as saver:
            g = build(saver)
            for _ in range(a.rounds):
                c = lg.config(20)
                t0 = time.perf_counter()
                out = g.invoke({"ok": False, "messages": hist}, c)
                t1 = time.perf_counter()
                assert "__interrupt__" in out
                out = g.invoke(Command(resume=True), c)
                t2 = time.perf_counter()
                assert out["ok"] is True
                start.append(1e3 * (t1 - t0))
                resume.append(1e3 * (t2 - t1))

    asyncio.run(go_async()) if is_async else go_sync()
    lg.fresh_file(where)
    emit({
        "bench": "langgraph_interrupt", "saver": a.saver, "rounds": a.rounds, "history_kb": a.history_kb,
        "to_interrupt_ms": {"min": round(min(start), 2), "p50": round(pct(start, 50), 2), "p99": round(pct(start, 99), 2)},
        "resume_ms": {"min": round(min(resume), 2), "p50": round(pct(resume, 50), 2), "p99": round(pct(resume, 99), 2)},
        "versions": versions("langgraph"),
    })


if __name__ == "__main__":
    main()
