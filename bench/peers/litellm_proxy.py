"""LiteLLM's proxy before the same upstream and behind the same client as ours. Prints one JSON line.

  python litellm_proxy.py --dir DIR [--n 300] [--n-stream 40]
"""
from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from common import emit, tree_rss_kb

# No database: it starts in seconds then, and every call is checked in memory. It refuses to start without a strong key.
CONFIG = """model_list:
  - model_name: fake
    litellm_params:
      model: openai/fake
      api_base: http://127.0.0.1:{port}/v1
      api_key: sk-upstream
litellm_settings:
  drop_params: true
  set_verbose: false
general_settings:
  master_key: {key}
"""
KEY = "sk-" + os.urandom(24).hex()
NATIVE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(sys.executable))), "native")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def load(port: int, pid: int, connections: int, n: int, stream: bool) -> dict:
    command = [os.path.join(NATIVE, "httpload"), "--port", str(port), "--conc", str(connections), "--n", str(n),
               "--warm", str(max(connections, 20)), "--pid", str(pid), "--auth", KEY]
    done = subprocess.run(command + ["--stream"] * stream, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert result["errors"] + result["non200"] == 0, result
    return result


def start(args, up: int, port: int) -> subprocess.Popen:
    config = os.path.join(args.dir, "config.yaml")
    with open(config, "w") as f:
        f.write(CONFIG.format(port=up, key=KEY))
    env = {**os.environ, "LITELLM_LOG": "ERROR", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_DOCS": "True"}
    command = [os.path.join(os.path.dirname(sys.executable), "litellm"), "--config", config, "--port", str(port),
               "--host", "127.0.0.1", "--num_workers", "1", "--telemetry", "False"]
    log = open(os.path.join(args.dir, "log"), "w")
    return subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)


def wait(port: int, process: subprocess.Popen) -> None:
    body = b'{"model":"fake","messages":[{"role":"user","content":"hi"}]}'
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", data=body, headers=headers)
    end = time.monotonic() + 180
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(request, timeout=60).read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("litellm does not answer")


def measure(args, up: int, up_pid: int, port: int, pid: int) -> dict:
    direct, plain = load(up, up_pid, 1, args.n, False), load(port, pid, 1, args.n, False)
    one, stream_one = load(up, up_pid, 1, args.n_stream, True), load(port, pid, 1, args.n_stream, True)
    stream = load(port, pid, 16, args.n_stream, True)
    return {
        "added_p50_ms": plain["lat_ms"]["p50"] - direct["lat_ms"]["p50"],
        "added_p99_ms": plain["lat_ms"]["p99"] - direct["lat_ms"]["p99"],
        "requests_16": load(port, pid, 16, args.n, False)["req_s"],
        "requests_64": load(port, pid, 64, args.n, False)["req_s"],
        "chunks_s": stream["events_s"],
        "cpu_us_per_chunk": stream["server_cpu_us_per_req"] / stream["events_per_req"],
        "added_first_byte_ms": stream_one["ttfb_ms"]["p50"] - one["ttfb_ms"]["p50"],
        "rss_mb": tree_rss_kb(pid) / 1024,
    }


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--dir", required=True)
    p.add_argument("--n", type=int, default=300)
    p.add_argument("--n-stream", type=int, default=40)
    args = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    upstream = subprocess.Popen([os.path.join(NATIVE, "upstream"), "--chunks", "200"], stdout=subprocess.PIPE, text=True)
    proxy = None
    try:
        up, port = int(upstream.stdout.readline()), free_port()
        proxy = start(args, up, port)
        wait(port, proxy)
        emit({"bench": "litellm_proxy", **measure(args, up, upstream.pid, port, proxy.pid)})
    finally:
        if proxy is not None:
            os.killpg(proxy.pid, signal.SIGKILL)
            proxy.wait()
        upstream.kill()


if __name__ == "__main__":
    main()
