"""DBOS: durable steps per second of one workflow of N trivial steps, and of W concurrent ones.

  python dbos_steps.py --n 1000
"""
from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time

t_imp = time.perf_counter()
from dbos import DBOS
t_imp = time.perf_counter() - t_imp

from common import cpu_seconds, dir_bytes, emit, peak_rss_kb, spread, versions

PAD = ""


@DBOS.step()
def step(i: int) -> str:
    return f"{i}:{PAD}"


@DBOS.workflow()
def flow(n: int) -> int:
    for i in range(n):
        step(i)
    return n


@DBOS.step()
async def astep(i: int) -> str:
    return f"{i}:{PAD}"


@DBOS.workflow()
async def aflow(n: int) -> int:
    for i in range(n):
        await astep(i)
    return n


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=1000)
    p.add_argument("--kb", type=float, default=1.0, help="size of each step's result")
    p.add_argument("--workflows", type=int, default=1)
    p.add_argument("--api", choices=("sync", "async"), default="sync")
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    global PAD
    PAD = "x" * int(a.kb * 1024)
    path = os.path.join(a.dir or tempfile.mkdtemp(prefix="dbos"), f"dbos_{os.getpid()}.sqlite")
    url = f"sqlite:///{path}"
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR", "run_admin_server": False})
    t0 = time.perf_counter()
    DBOS.launch()
    launch = time.perf_counter() - t0
    rates, cpus = [], []
    loop = asyncio.new_event_loop()  # one loop for all repetitions: DBOS lends it its executor
    flow(5)
    for _ in range(a.reps):
        c0, t0 = cpu_seconds(), time.perf_counter()
        if a.api == "async":
            async def go():
                return await asyncio.gather(*(aflow(a.n) for _ in range(a.workflows)))
            out = loop.run_until_complete(go())
        elif a.workflows == 1:
            out = [flow(a.n)]
        else:
            hs = [DBOS.start_workflow(flow, a.n) for _ in range(a.workflows)]
            out = [h.get_result() for h in hs]
        dt, dc = time.perf_counter() - t0, cpu_seconds() - c0
        assert out == [a.n] * a.workflows
        rates.append(a.workflows * a.n / dt)
        cpus.append(1e3 * dc / (a.workflows * a.n))
    size = dir_bytes(path)
    emit({
        "bench": "dbos_steps", "db": "sqlite", "api": a.api, "n": a.n, "workflows": a.workflows, "kb": a.kb,
        "steps_s": spread(rates), "ms_per_step": round(1e3 / max(rates), 3), "cpu_ms_per_step": round(min(cpus), 3),
        "db_bytes_per_step": round(size / (a.reps * a.n * a.workflows)),
        "import_ms": round(1e3 * t_imp), "launch_ms": round(1e3 * launch),
        "peak_rss_kb": peak_rss_kb(), "versions": versions("dbos", "sqlalchemy"),
    })
    for s in ("", "-wal", "-shm"):
        if os.path.exists(path + s):
            os.remove(path + s)
    os._exit(0)


if __name__ == "__main__":
    main()
