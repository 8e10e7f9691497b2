"""FastAPI/uvicorn + SQLite + WebSocket: stored events per second to many clients.

  AMELIA_BENCH=.../amelia-bench python ws_fanout.py --send naive --clients 100

Prints one JSON line: the best rate and the least CPU of --reps, each by itself. The clients are
`amelia-bench receive`, the same program that listens to our server; uvicorn is one process with
uvloop and websockets.
"""
from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from common import emit, versions

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until_up(port: int, server: subprocess.Popen) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1).read()
            return
        except OSError:
            if time.monotonic() > end or server.poll() is not None:
                raise SystemExit("uvicorn did not start")
            time.sleep(0.01)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--send", choices=("naive", "lean"), default="naive")
    p.add_argument("--clients", type=int, default=100)
    p.add_argument("--n", type=int, default=300)
    p.add_argument("--pad", type=int, default=300)
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    d = os.path.abspath(a.dir) if a.dir else tempfile.mkdtemp(prefix="wsfan")
    port = free_port()
    env = dict(os.environ, PERF_DB=os.path.join(d, "ws_events.db"), PERF_SEND=a.send)
    server = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "ws_app:app", "--host", "127.0.0.1", "--port", str(port),
         "--log-level", "error", "--no-access-log", "--loop", "uvloop"],
        cwd=HERE, env=env, stdout=subprocess.DEVNULL)
    try:
        wait_until_up(port, server)
        runs = []
        for _ in range(a.reps):
            done = subprocess.run(
                [os.environ["AMELIA_BENCH"], "receive", "--address", f"127.0.0.1:{port}", "--path", "/ws",
                 "--clients", str(a.clients), "--events", str(a.n),
                 "--trigger", f"/emit?n={a.n}&pad={a.pad}", "--process", str(server.pid)],
                capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr.strip())
            runs.append(json.loads(done.stdout))
    finally:
        server.terminate()
        server.wait(10)
    best = max(runs, key=lambda run: run["events_s"])
    emit({"bench": "fastapi_ws_fanout", "send": a.send, "clients": a.clients, "n": a.n, **best,
          "cpu_us_per_delivery": min(run["cpu_us_per_delivery"] for run in runs),
          "versions": versions("fastapi", "uvicorn", "websockets", "aiosqlite", "orjson", "uvloop")})


if __name__ == "__main__":
    main()
