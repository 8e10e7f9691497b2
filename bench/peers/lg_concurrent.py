"""LangGraph: W concurrent workflows of N super-steps each, one process, one event loop.

  python lg_concurrent.py --saver asqlite --workflows 50 --n 50
"""
from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time

from common import dir_bytes, emit, pct, peak_rss_kb, spread, versions
import lg_common as lg


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--saver", choices=("none", "memory", "asqlite"), default="asqlite")
    p.add_argument("--workflows", type=int, default=50)
    p.add_argument("--n", type=int, default=50)
    p.add_argument("--kb", type=float, default=1.0)
    p.add_argument("--state", choices=("small", "grow"), default="small")
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    base = a.dir or tempfile.mkdtemp(prefix="lgconc")
    rates, p50s, p99s, db_bytes = [], [], [], 0
    for _ in range(a.reps):
        where = lg.fresh_file(os.path.join(base, f"lgc_{os.getpid()}.db"))

        async def go():
            async with lg.open_async(a.saver, where) as saver:
                graph = lg.build(a.state, a.kb, saver)

                async def one():
                    t = time.perf_counter()
                    out = await graph.ainvoke(lg.initial(a.state, a.n, a.kb), lg.config(a.n))
                    assert out["step"] == a.n
                    return time.perf_counter() - t

                t0 = time.perf_counter()
                times = await asyncio.gather(*(one() for _ in range(a.workflows)))
                return time.perf_counter() - t0, times

        dt, times = asyncio.run(go())
        rates.append(a.workflows * a.n / dt)
        p50s.append(pct(times, 50))
        p99s.append(pct(times, 99))
        if a.saver == "asqlite":
            db_bytes = dir_bytes(where)
            lg.fresh_file(where)
    emit({
        "bench": "langgraph_concurrent", "saver": a.saver, "workflows": a.workflows, "n": a.n,
        "state": a.state, "kb": a.kb, "steps_s": spread(rates),
        "workflow_s_p50": round(min(p50s), 3), "workflow_s_p99": round(min(p99s), 3),
        "db_bytes": db_bytes, "peak_rss_kb": peak_rss_kb(),
        "versions": versions("langgraph", "langgraph-checkpoint-sqlite"),
    })


if __name__ == "__main__":
    main()
