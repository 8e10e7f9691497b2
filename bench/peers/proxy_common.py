"""What the proxies of peers have in common: the upstream behind them and the client in front, the same as ours has."""
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

INSTALLED = os.path.dirname(os.path.dirname(os.path.dirname(sys.executable)))
NATIVE = os.path.join(INSTALLED, "native")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def upstream() -> subprocess.Popen:
    """Its first line is its port."""
    return subprocess.Popen([os.path.join(NATIVE, "upstream"), "--chunks", "200"], stdout=subprocess.PIPE, text=True)


def load(port: int, pid: int, key: str, connections: int, n: int, stream: bool = False) -> dict:
    command = [os.path.join(NATIVE, "httpload"), "--port", str(port), "--conc", str(connections), "--n", str(n),
               "--warm", str(max(connections, 20)), "--pid", str(pid), "--auth", key]
    done = subprocess.run(command + ["--stream"] * stream, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert result["errors"] + result["non200"] == 0, result
    return result


def wait(port: int, process: subprocess.Popen, key: str) -> None:
    body = b'{"model":"fake","messages":[{"role":"user","content":"hi"}]}'
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", data=body, headers=headers)
    end = time.monotonic() + 180
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(request, timeout=60).read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the proxy does not answer")
