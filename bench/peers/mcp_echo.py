"""The official Python client of MCP: what a call of a tool takes that only echoes, over standard input and output.

  AMELIA_BENCH=…/amelia-bench python mcp_echo.py --n 1000

Prints one JSON line. The server is `amelia-bench mcp-echo`, the same as on the other side.
"""
from __future__ import annotations

import argparse
import asyncio
import os
import time

from common import emit, pct, peak_rss_kb, versions
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

WARM_UP = 50


async def measure(n: int) -> list[float]:
    server = StdioServerParameters(command=os.environ["AMELIA_BENCH"], args=["mcp-echo"])
    took = []
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        for call in range(n + WARM_UP):
            start = time.perf_counter()
            said = await session.call_tool("echo", {"message": "hello"})
            if call >= WARM_UP:
                took.append(1e3 * (time.perf_counter() - start))
            assert said.content[0].text == "hello", said
    return took


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=1000)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    took = asyncio.run(measure(a.n))
    emit({
        "bench": "mcp_echo", "calls": a.n, "p50_ms": round(pct(took, 50), 4), "p99_ms": round(pct(took, 99), 4),
        "peak_rss_kb": peak_rss_kb(), "versions": versions("mcp"),
    })


if __name__ == "__main__":
    main()
