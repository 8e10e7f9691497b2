"""LangGraph: super-steps per second of one workflow, and what it stores.

  python lg_steps.py --saver asqlite --state grow --n 1000 --kb 1 --reps 3

Prints one JSON line. `steps_s` is super-steps / wall time of one invoke of the
compiled graph; `db_bytes` is what the checkpointer kept for that one run.
"""
from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time

from common import cpu_seconds, dir_bytes, emit, peak_rss_kb, spread, versions
import lg_common as lg


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--saver", choices=lg.SAVERS, required=True)
    p.add_argument("--state", choices=("small", "grow"), default="small")
    p.add_argument("--n", type=int, default=500)
    p.add_argument("--kb", type=float, default=1.0)
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--durability", choices=("default", "sync", "async", "exit"), default="default")
    p.add_argument("--mode", choices=("auto", "sync", "async"), default="auto",
                   help="API used for savers that serve both (none, memory)")
    p.add_argument("--dir", default=None, help="where SQLite files go (a real disk)")
    a = p.parse_args()
    base = a.dir or tempfile.mkdtemp(prefix="lgsteps")
    is_async = a.saver == "asqlite" or a.mode == "async"
    kw = {} if a.durability == "default" else {"durability": a.durability}
    rates, cpus, db_bytes = [], [], 0

    def check(out):
        assert out["step"] == a.n, out["step"]
        if a.state == "grow":
            assert len(out["messages"]) == a.n

    for rep in range(a.reps):
        where = lg.fresh_file(os.path.join(base, f"lg_{os.getpid()}.db"))

        if is_async:
            async def go():
                async with lg.open_async(a.saver, where) as saver:
                    graph = lg.build(a.state, a.kb, saver)
                    c0, t0 = cpu_seconds(), time.perf_counter()
                    out = await graph.ainvoke(lg.initial(a.state, a.n, a.kb), lg.config(a.n), **kw)
                    return out, time.perf_counter() - t0, cpu_seconds() - c0
            out, dt, dc = asyncio.run(go())
        else:
            with lg.open_sync(a.saver, where) as saver:
                graph = lg.build(a.state, a.kb, saver)
                c0, t0 = cpu_seconds(), time.perf_counter()
                out = graph.invoke(lg.initial(a.state, a.n, a.kb), lg.config(a.n), **kw)
                dt, dc = time.perf_counter() - t0, cpu_seconds() - c0
        check(out)
        rates.append(a.n / dt)
        cpus.append(1e3 * dc / a.n)
        if a.saver in ("sqlite", "asqlite"):
            db_bytes = dir_bytes(where)
            lg.fresh_file(where)
    emit({
        "bench": "langgraph_steps", "saver": a.saver, "state": a.state, "n": a.n, "kb": a.kb,
        "durability": a.durability, "api": "async" if is_async else "sync",
        "steps_s": spread(rates), "ms_per_step": round(1e3 / max(rates), 3),
        "cpu_ms_per_step": round(min(cpus), 3),
        "db_bytes": db_bytes, "db_bytes_per_step": round(db_bytes / a.n),
        "peak_rss_kb": peak_rss_kb(),
        "versions": versions("langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite",
                             "langchain-core"),
    })


if __name__ == "__main__":
    main()
