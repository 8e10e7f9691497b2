"""LangGraph: turns per second of two agents that answer each other, with its SQLite saver and a model behind HTTP.

  AMELIA_BENCH=…/amelia-bench python lg_loop.py --n 460 --reps 2

Prints one JSON line. The model is `amelia model serve` with the script of our own side, in a process of its own. A node
sends the whole conversation and waits for the whole answer; the answer is added to the state.
"""
from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import operator
import os
import subprocess
import tempfile
import time
from typing import Annotated, TypedDict

import httpx
import lg_common as lg
from common import emit, peak_rss_kb, spread, versions
from langgraph.graph import END, START, StateGraph

SCRIPT = """rules:
  - when: {{ model: critic, times: {rejected} }}
    reply: {{ text: '{{"score": 0.1}}' }}
  - when: {{ model: critic }}
    reply: {{ text: '{{"score": 1.0}}' }}
  - when: {{ model: writer }}
    reply: {{ text: Rivers are long. }}
"""


class Chat(TypedDict):
    messages: Annotated[list, operator.add]
    score: float


@contextlib.contextmanager
def model(n: int, base: str):
    script = os.path.join(base, "script.yaml")
    with open(script, "w") as f:
        f.write(SCRIPT.format(rejected=n // 2 - 1))
    amelia = os.path.join(os.path.dirname(os.environ["AMELIA_BENCH"]), "amelia")
    server = subprocess.Popen([amelia, "model", "serve", script, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        server.wait()


def build(url: str, client: httpx.AsyncClient, saver, moments: list):
    def node(name: str):
        async def body(state: Chat):
            moments.append(time.perf_counter())
            said = [{"role": "system", "content": f"You are the {name}."}, *state["messages"]]
            answer = await client.post(f"{url}/v1/chat/completions", json={"model": name, "messages": said})
            text = answer.json()["choices"][0]["message"]["content"]
            out = {"messages": [{"role": "assistant", "content": text}]}
            return out | {"score": json.loads(text)["score"]} if name == "critic" else out
        return body

    graph = StateGraph(Chat)
    graph.add_node("writer", node("writer"))
    graph.add_node("critic", node("critic"))
    graph.add_edge(START, "writer")
    graph.add_edge("writer", "critic")
    graph.add_conditional_edges("critic", lambda s: END if s["score"] >= 1 else "writer", ["writer", END])
    return graph.compile(checkpointer=saver)


async def run(n: int, where: str, url: str) -> list[float]:
    moments: list[float] = []
    async with lg.open_async("asqlite", where) as saver, httpx.AsyncClient(timeout=60) as client:
        graph = build(url, client, saver, moments)
        start = {"messages": [{"role": "user", "content": "Write about rivers"}], "score": 0.0}
        out = await graph.ainvoke(start, lg.config(n))
    assert len(out["messages"]) == n + 1, len(out["messages"])
    return moments


def window(moments: list[float], first: int) -> float:
    costs = sorted(b - a for a, b in zip(moments[first - 1:first + 49], moments[first:first + 50]))
    return 1e6 * costs[len(costs) // 4]


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=460)
    p.add_argument("--reps", type=int, default=2)
    p.add_argument("--dir", default=None)
    a = p.parse_args()
    base = a.dir or tempfile.mkdtemp(prefix="lgloop")
    rates, growth = [], []
    for _ in range(a.reps):
        where = lg.fresh_file(os.path.join(base, "loop.db"))
        with model(a.n, base) as url:
            moments = asyncio.run(run(a.n, where, url))
        rates.append((len(moments) - 1) / (moments[-1] - moments[0]))
        growth.append(window(moments, 400) / window(moments, 10))
    emit({
        "bench": "langgraph_loop", "n": a.n, "turns_s": spread(rates), "growth": round(min(growth), 3),
        "peak_rss_kb": peak_rss_kb(), "versions": versions("langgraph", "langgraph-checkpoint-sqlite", "httpx"),
    })


if __name__ == "__main__":
    main()
