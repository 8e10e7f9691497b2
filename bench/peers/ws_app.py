"""A minimal FastAPI event server: what a straightforward Python implementation does.

  PERF_DB=/path/events.db PERF_SEND=naive uvicorn ws_app:app --port 8090

POST /emit?n=1000&pad=300 emits n events as fast as it can, each of them:
  1. built as a pydantic event, 2. inserted into SQLite (WAL, synchronous=NORMAL) and committed,
  3. sent to every WebSocket client of /ws.
PERF_SEND=naive : JSON-encoded per client, asyncio.gather over clients with a send timeout each
                  (the usual connection-manager shape).
PERF_SEND=lean  : encoded once with orjson, each send awaited in turn, no timeout.
"""
from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from typing import Any

import aiosqlite
import orjson
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field

SEND = os.environ.get("PERF_SEND", "naive")
DB = os.environ.get("PERF_DB", "ws_events.db")


class Event(BaseModel):
    id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    workflow_id: str
    sequence: int
    timestamp: datetime = Field(default_factory=lambda: datetime.now(timezone.utc))
    agent: str
    event_type: str
    level: str = "info"
    message: str
    data: dict[str, Any] | None = None


class Hub:
    def __init__(self) -> None:
        self.clients: set[WebSocket] = set()
        self.db: aiosqlite.Connection | None = None

    async def save(self, e: Event) -> None:
        await self.db.execute(
            "insert into events(id,workflow_id,sequence,ts,agent,event_type,level,message,data) values(?,?,?,?,?,?,?,?,?)",
            (e.id, e.workflow_id, e.sequence, e.timestamp.isoformat(), e.agent, e.event_type, e.level,
             e.message, json.dumps(e.data)))
        await self.db.commit()

    async def send_one(self, ws: WebSocket, payload: dict, ts: int) -> None:
        try:
            text = json.dumps({"type": "event", "ts": ts, "payload": payload}, separators=(",", ":"), default=str)
            await asyncio.wait_for(ws.send_text(text), timeout=5)
        except Exception:
            self.clients.discard(ws)

    async def broadcast(self, e: Event, ts: int) -> None:
        if SEND == "naive":
            payload = e.model_dump(mode="json")
            await asyncio.gather(*(self.send_one(ws, payload, ts) for ws in list(self.clients)))
        else:
            text = orjson.dumps({"type": "event", "ts": ts, "payload": e.model_dump()}).decode()
            for ws in list(self.clients):
                try:
                    await ws.send_text(text)
                except Exception:
                    self.clients.discard(ws)


hub = Hub()


@asynccontextmanager
async def lifespan(_: FastAPI):
    hub.db = await aiosqlite.connect(DB)
    await hub.db.execute("pragma journal_mode=wal")
    await hub.db.execute("pragma synchronous=NORMAL")
    await hub.db.execute(
        "create table events(id text primary key, workflow_id text, sequence int, ts text, agent text,"
        " event_type text, level text, message text, data text)")
    await hub.db.execute("create index ev_wf on events(workflow_id, sequence)")
    await hub.db.commit()
    yield
    await hub.db.close()


app = FastAPI(lifespan=lifespan)


@app.websocket("/ws")
async def ws(sock: WebSocket):
    await sock.accept()
    hub.clients.add(sock)
    try:
        while True:
            await sock.receive_text()
    except WebSocketDisconnect:
        hub.clients.discard(sock)


@app.get("/health")
async def health():
    return {"status": "ok"}


@app.post("/emit")
async def emit(n: int = 1000, pad: int = 300):
    wf = str(uuid.uuid4())
    for i in range(n):
        ts = time.time_ns()
        e = Event(workflow_id=wf, sequence=i, agent="developer", event_type="claude_tool_call",
                  message="Running tool", data={"tool": "shell", "out": "x" * pad})
        await hub.save(e)
        await hub.broadcast(e, ts)
    return {"n": n}
