"""Debian's nginx before the same upstream and behind the same client as ours. It passes bytes on and does nothing else:
what forwarding a chunk costs at least. Prints one JSON line.

  python nginx_proxy.py --dir DIR [--n-stream 500] [--rounds 3]
"""
from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

from common import emit
from proxy_common import INSTALLED, free_port, load, upstream, wait

# Without buffering every chunk is passed on when it comes, as ours does. Connections to the upstream are kept.
CONFIG = """daemon off;
worker_processes 1;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {dir}/body;
  proxy_temp_path {dir}/proxy;
  fastcgi_temp_path {dir}/fastcgi;
  uwsgi_temp_path {dir}/uwsgi;
  scgi_temp_path {dir}/scgi;
  upstream model {{ server 127.0.0.1:{up}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{port};
    keepalive_requests 1000000;
    location / {{
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}
}}
"""


def start(directory: str, up: int, port: int) -> subprocess.Popen:
    program = os.path.join(INSTALLED, "nginx", "usr", "sbin", "nginx")
    if not os.path.exists(program):
        absent = os.path.join(INSTALLED, "nginx.absent")
        raise SystemExit(open(absent).read() if os.path.exists(absent) else "nginx is not installed; run bench/peers/setup.sh")
    config = os.path.join(directory, "nginx.conf")
    with open(config, "w") as f:
        f.write(CONFIG.format(dir=directory, up=up, port=port))
    return subprocess.Popen([program, "-p", directory, "-c", config])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--dir", required=True)
    p.add_argument("--n-stream", type=int, default=500)
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    args.dir = os.path.abspath(args.dir)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    behind = upstream()
    proxy = None
    try:
        up, port = int(behind.stdout.readline()), free_port()
        proxy = start(args.dir, up, port)
        wait(port, proxy, "none")
        streams = [load(port, proxy.pid, "none", 16, args.n_stream, stream=True) for _ in range(args.rounds)]
        best = max(streams, key=lambda stream: stream["events_s"])
        emit({
            "bench": "nginx_proxy",
            "chunks_s": best["events_s"],
            "cpu_us_per_chunk": best["server_cpu_us_per_req"] / best["events_per_req"],
        })
    finally:
        if proxy is not None:
            proxy.terminate()
            proxy.wait()
        behind.kill()


if __name__ == "__main__":
    main()
