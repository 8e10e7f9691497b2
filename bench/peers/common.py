"""Shared helpers of the peer-side benchmarks. Standard library only.

Every benchmark prints exactly one JSON line on stdout (`emit`), so a driver can
collect them with `... >> results.jsonl`.
"""
from __future__ import annotations

import json
import os
import platform
import sys
import time
from importlib import metadata


def peak_rss_kb() -> int:
    """Largest resident set size so far, in KiB, from /proc."""
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def tree_rss_kb(root: int) -> int:
    """Resident KiB of a process and of everything it has started."""
    processes = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/status") as f:
                fields = dict(line.split(":", 1) for line in f)
        except OSError:
            continue
        rss = int(fields.get("VmRSS", "0").split()[0])
        processes[int(pid)] = (int(fields["PPid"]), rss)
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        total += processes.get(pid, (0, 0))[1]
        todo += [child for child, (parent, _) in processes.items() if parent == pid]
    return total


def pct(values: list[float], q: float) -> float:
    """Nearest-rank percentile; q in 0..100."""
    s = sorted(values)
    if not s:
        return float("nan")
    k = max(0, min(len(s) - 1, int(round(q / 100.0 * len(s) + 0.5)) - 1))
    return s[k]


def dir_bytes(path: str) -> int:
    """Size of a file and of its -wal / -shm companions, or of a directory."""
    if os.path.isdir(path):
        return sum(
            os.path.getsize(os.path.join(d, f))
            for d, _, fs in os.walk(path) for f in fs
            if os.path.exists(os.path.join(d, f))
        )
    total = 0
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            total += os.path.getsize(path + suffix)
    return total


def versions(*names: str) -> dict[str, str]:
    out = {"python": platform.python_version()}
    for n in names:
        try:
            out[n] = metadata.version(n)
        except metadata.PackageNotFoundError:
            out[n] = "absent"
    return out


def cpu_seconds() -> float:
    """CPU time of this process, all threads (steady even when the machine is shared)."""
    return time.process_time()


def spread(values: list[float], digits: int = 1) -> dict[str, float]:
    """best / median / worst of repeated rates (best = largest)."""
    s = sorted(values)
    return {
        "best": round(s[-1], digits),
        "median": round(s[len(s) // 2], digits),
        "worst": round(s[0], digits),
        "runs": len(s),
    }


def emit(record: dict) -> None:
    record.setdefault("loadavg1", round(os.getloadavg()[0], 2))
    record.setdefault("at", time.strftime("%Y-%m-%dT%H:%M:%S"))
    sys.stdout.write(json.dumps(record, sort_keys=False) + "\n")
    sys.stdout.flush()
