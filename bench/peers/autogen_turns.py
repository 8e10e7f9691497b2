"""AutoGen AgentChat: per-turn overhead with an in-process replay model.

Round robin of `agents` AssistantAgents, `turns` messages in all, no tools, no network, nothing stored.
With --longer a second conversation of so many turns shows how the cost of a turn grows with its history.

  python autogen_turns.py --agents 4 --turns 100 --longer 400
"""
from __future__ import annotations

import argparse
import asyncio
import logging
import time

t_imp = time.perf_counter()
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.replay import ReplayChatCompletionClient
t_imp = time.perf_counter() - t_imp

from common import cpu_seconds, emit, peak_rss_kb, spread, versions


async def conversation(agents: int, turns: int, kb: float) -> tuple[float, float]:
    """Seconds and CPU seconds of one conversation."""
    text = "x" * int(kb * 1024)
    model = ReplayChatCompletionClient([text] * (turns + 4))
    team = RoundRobinGroupChat(
        [AssistantAgent(f"agent{i}", model_client=model) for i in range(agents)],
        termination_condition=MaxMessageTermination(turns + 1),
    )
    c0, t0 = cpu_seconds(), time.perf_counter()
    result = await team.run(task="go")
    took, cpu = time.perf_counter() - t0, cpu_seconds() - c0
    assert len(result.messages) == turns + 1, len(result.messages)
    return took, cpu


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--agents", type=int, default=4)
    p.add_argument("--turns", type=int, default=100)
    p.add_argument("--longer", type=int, default=0, help="turns of the longer conversation; 0: none")
    p.add_argument("--kb", type=float, default=1.0, help="size of each reply")
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--dir", default=None, help="unused: nothing is stored")
    a = p.parse_args()
    # Its logging costs more than its work: off, as a user who measures would have it.
    for name in ("autogen_core", "autogen_core.events", "autogen_core.trace", "autogen_agentchat"):
        logging.getLogger(name).setLevel(logging.CRITICAL)

    rates, cpus, longer = [], [], []
    for _ in range(a.reps):
        took, cpu = asyncio.run(conversation(a.agents, a.turns, a.kb))
        rates.append(a.turns / took)
        cpus.append(1e3 * cpu / a.turns)
        if a.longer:
            took, _ = asyncio.run(conversation(a.agents, a.longer, a.kb))
            longer.append(a.longer / took)
    record = {
        "bench": "autogen_turns", "agents": a.agents, "turns": a.turns, "kb": a.kb,
        "turns_s": spread(rates), "ms_per_turn": round(1e3 / max(rates), 3),
        "cpu_ms_per_turn": round(min(cpus), 3),
        "import_ms": round(1e3 * t_imp), "peak_rss_kb": peak_rss_kb(),
        "versions": versions("autogen-agentchat", "autogen-core", "autogen-ext"),
    }
    if longer:
        record |= {"longer": a.longer, "longer_turns_s": spread(longer),
                   "growth": round(max(rates) / max(longer), 3)}
    emit(record)


if __name__ == "__main__":
    main()
