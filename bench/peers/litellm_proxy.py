"""LiteLLM's proxy before the same upstream and behind the same client as ours. Prints one JSON line.

  python litellm_proxy.py --dir DIR [--n 300] [--n-stream 40]
"""
from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

from common import emit, tree_rss_kb
from proxy_common import free_port, load, upstream, wait

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


def start(args, up: int, port: int) -> subprocess.Popen:
    config = os.path.join(args.dir, "config.yaml")
    with open(config, "w") as f:
        f.write(CONFIG.format(port=up, key=KEY))
    env = {**os.environ, "LITELLM_LOG": "ERROR", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_DOCS": "True"}
    command = [os.path.join(os.path.dirname(sys.executable), "litellm"), "--config", config, "--port", str(port),
               "--host", "127.0.0.1", "--num_workers", "1", "--telemetry", "False"]
    log = open(os.path.join(args.dir, "log"), "w")
    return subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)


def measure(args, up: int, up_pid: int, port: int, pid: int) -> dict:
    direct, plain = load(up, up_pid, KEY, 1, args.n), load(port, pid, KEY, 1, args.n)
    one = load(up, up_pid, KEY, 1, args.n_stream, stream=True)
    stream_one = load(port, pid, KEY, 1, args.n_stream, stream=True)
    stream = load(port, pid, KEY, 16, args.n_stream, stream=True)
    return {
        "added_p50_ms": plain["lat_ms"]["p50"] - direct["lat_ms"]["p50"],
        "added_p99_ms": plain["lat_ms"]["p99"] - direct["lat_ms"]["p99"],
        "requests_16": load(port, pid, KEY, 16, args.n)["req_s"],
        "requests_64": load(port, pid, KEY, 64, args.n)["req_s"],
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
    behind = upstream()
    proxy = None
    try:
        up, port = int(behind.stdout.readline()), free_port()
        proxy = start(args, up, port)
        wait(port, proxy, KEY)
        emit({"bench": "litellm_proxy", **measure(args, up, behind.pid, port, proxy.pid)})
    finally:
        if proxy is not None:
            os.killpg(proxy.pid, signal.SIGKILL)
            proxy.wait()
        behind.kill()


if __name__ == "__main__":
    main()
