"""Cold start of a Python peer: a fresh interpreter per repetition.

  python cold_start.py --what langgraph --python /path/to/venv/bin/python --reps 5

Reports wall time from fork to: process exit, and (inside the child) import, build
and first step; and the RSS at the end. The .pyc files are warm after the first
(unreported) repetition, so this is the steady "cold process, warm disk" figure.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from common import emit

CHILD = {
    "python": """
import time; t0=time.perf_counter()
t1=t2=t3=time.perf_counter()
""",
    "langgraph": """
import time; t0=time.perf_counter()
import operator
from typing import Annotated, TypedDict
from langgraph.graph import StateGraph, START, END
from langgraph.checkpoint.sqlite import SqliteSaver
t1=time.perf_counter()
class S(TypedDict):
    step: int
    messages: Annotated[list, operator.add]
cm=SqliteSaver.from_conn_string(DB); saver=cm.__enter__()
g=StateGraph(S)
g.add_node('architect', lambda s: {'step': s['step']+1, 'messages':['a']})
g.add_edge(START,'architect'); g.add_edge('architect',END)
app=g.compile(checkpointer=saver)
t2=time.perf_counter()
app.invoke({'step':0,'messages':[]},{'configurable':{'thread_id':'1'}})
t3=time.perf_counter()
""",
}
TAIL = """
import json, sys
r=0; hwm=0
for l in open('/proc/self/status'):
    if l.startswith('VmRSS'): r=int(l.split()[1])
    if l.startswith('VmHWM'): hwm=int(l.split()[1])
sys.stdout.write('COLD '+json.dumps({'import_ms':1e3*(t1-t0),'build_ms':1e3*(t2-t1),'first_ms':1e3*(t3-t2),'rss_kb':r,'hwm_kb':hwm,'modules':len(sys.modules)})+'\\n'); sys.stdout.flush()
import os; os._exit(0)
"""


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--what", choices=sorted(CHILD), required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--reps", type=int, default=5)
    p.add_argument("--dir", default=None, help="where the SQLite files go (a real disk)")
    a = p.parse_args()
    tmp = tempfile.mkdtemp(prefix="cold", dir=a.dir)
    runs = []
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for i in range(a.reps + 1):
        code = f"DB={os.path.join(tmp, f'c{i}.db')!r}\n" + CHILD[a.what] + TAIL
        t0 = time.perf_counter()
        r = subprocess.run([a.python, "-c", code], capture_output=True, text=True, env=env,
                           stdin=subprocess.DEVNULL)
        wall = 1e3 * (time.perf_counter() - t0)
        line = [x for x in r.stdout.splitlines() if x.startswith("COLD ")]
        if not line:
            sys.exit(r.stderr[-600:])
        rec = json.loads(line[0][5:])
        rec["wall_ms"] = wall
        if i:
            runs.append(rec)
    shutil.rmtree(tmp, ignore_errors=True)
    out = {"bench": "cold_start", "what": a.what, "reps": a.reps}
    for k in ("wall_ms", "import_ms", "build_ms", "first_ms"):
        v = sorted(r[k] for r in runs)
        out[k] = {"best": round(v[0], 1), "median": round(v[len(v) // 2], 1), "worst": round(v[-1], 1)}
    out["rss_kb"] = min(r["rss_kb"] for r in runs)
    out["modules"] = runs[0]["modules"]
    emit(out)


if __name__ == "__main__":
    main()
