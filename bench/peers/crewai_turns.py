"""CrewAI: per-task overhead of a sequential crew with an in-process fake model.

`agents` agents, `tasks` tasks assigned in rotation; each task is one model call that
answers at once. No network, telemetry off.

  python crewai_turns.py --agents 4 --tasks 100
"""
from __future__ import annotations

import argparse
import contextlib
import io
import os
import time

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false",
                  CREWAI_TESTING="true")
t_imp = time.perf_counter()
from crewai import Agent, BaseLLM, Crew, Process, Task
t_imp = time.perf_counter() - t_imp

from common import cpu_seconds, emit, peak_rss_kb, spread, versions


class FakeLLM(BaseLLM):
    calls: int = 0

    def call(self, messages, *args, **kwargs):
        type(self).calls += 1
        return "Thought: I now can give a great answer\nFinal Answer: " + "x" * 1000


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--agents", type=int, default=4)
    p.add_argument("--tasks", type=int, default=100)
    p.add_argument("--reps", type=int, default=3)
    p.add_argument("--dir", default=None, help="unused: nothing is stored")
    a = p.parse_args()
    rates, cpus = [], []
    sink = io.StringIO()
    for _ in range(a.reps):
        FakeLLM.calls = 0
        llm = FakeLLM(model="fake")
        agents = [Agent(role=f"r{i}", goal="g", backstory="b", llm=llm, verbose=False) for i in range(a.agents)]
        tasks = [Task(description=f"d{i}", expected_output="o", agent=agents[i % a.agents], context=[]) for i in range(a.tasks)]
        crew = Crew(agents=agents, tasks=tasks, process=Process.sequential, verbose=False, memory=False, cache=False)
        c0, t0 = cpu_seconds(), time.perf_counter()
        with contextlib.redirect_stdout(sink):
            crew.kickoff()
        dt, dc = time.perf_counter() - t0, cpu_seconds() - c0
        assert FakeLLM.calls >= a.tasks, FakeLLM.calls
        rates.append(a.tasks / dt)
        cpus.append(1e3 * dc / a.tasks)
    emit({
        "bench": "crewai_turns", "agents": a.agents, "tasks": a.tasks, "model_calls": FakeLLM.calls,
        "tasks_s": spread(rates), "ms_per_task": round(1e3 / max(rates), 3),
        "cpu_ms_per_task": round(min(cpus), 3), "import_ms": round(1e3 * t_imp),
        "peak_rss_kb": peak_rss_kb(), "versions": versions("crewai"),
    })
    os._exit(0)


if __name__ == "__main__":
    main()
