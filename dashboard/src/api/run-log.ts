// The live log of a run: one socket per run that is looked at, shared by everything on the screen, kept for a while after.

import { useCallback, useSyncExternalStore } from 'react';
import { RunLog } from '@/model/run/run-log';
import type { HeardOfLog } from '@/wire/HeardOfLog';
import type { LogEvent } from '@/wire/LogEvent';
import { atMostEvery, perFrame } from './frames';
import { pathWith } from './http';
import { Socket, type SocketState } from './socket';

/** So many events in one frame of the socket are a log that is read, or a burst. */
const FLOOD = 64;
/** How long a log that is not shown is kept, for a return to its page. */
const UNUSED_LOG_TTL_MS = 60_000;

export type LogState = {
  log: RunLog;
  /** Changes whenever the log has. */
  version: number;
  connection: SocketState;
  /** No worker runs it any more, and its log cannot say so. */
  stall: string | null;
};

class Followed {
  private state: LogState;
  private readonly readers = new Set<() => void>();
  private socket: Socket | null = null;
  private forget: number | undefined;
  private readonly publish: (isFlood?: boolean) => void;

  constructor(run: string, onForgotten: () => void) {
    this.state = { log: new RunLog(run), version: 0, connection: 'connecting', stall: null };
    this.publish = perFrame(() => {
      this.state = { ...this.state, version: this.state.log.version };
      for (const tell of this.readers) tell();
    });
    this.onForgotten = onForgotten;
  }

  private readonly onForgotten: () => void;

  readonly get = () => this.state;

  readonly subscribe = (tell: () => void) => {
    this.readers.add(tell);
    clearTimeout(this.forget);
    this.socket ??= this.connect();
    return () => {
      this.readers.delete(tell);
      if (this.readers.size > 0) return;
      this.forget = window.setTimeout(() => {
        this.socket?.close();
        this.socket = null;
        this.onForgotten();
      }, UNUSED_LOG_TTL_MS);
    };
  };

  private connect(): Socket {
    const { log } = this.state;
    return new Socket({
      path: () =>
        pathWith(`/workflows/${encodeURIComponent(log.run)}/stream`, {
          format: 'lines',
          after: String(log.lastSeq),
          unfinished: 'true',
        }),
      onFrame: (text) => this.hear(text),
      onState: (connection) => {
        // What was half said when the socket broke is in the log, or will be said again.
        if (connection === 'lost') log.live.clear();
        this.state = { ...this.state, connection };
        this.publish();
      },
    });
  }

  private hear(text: string): void {
    const { log } = this.state;
    const events: LogEvent[] = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const heard = JSON.parse(line) as HeardOfLog;
      if (heard.type === 'event') events.push(heard.payload);
      else if (heard.type === 'delta') log.say(heard.agent, heard.kind, heard.text, heard.session);
      else if (heard.type === 'error') this.state = { ...this.state, stall: heard.error.message };
    }
    if (log.append(events) > 0 && this.state.stall !== null)
      this.state = { ...this.state, stall: null };
    this.publish(events.length >= FLOOD);
  }
}

const followed = new Map<string, Followed>();

function follow(run: string): Followed {
  let one = followed.get(run);
  if (!one) {
    one = new Followed(run, () => followed.delete(run));
    followed.set(run, one);
  }
  return one;
}

/** A run's log, live. Renders at most once per frame; with `every`, at most once in so many milliseconds. */
export function useRunLog(run: string, every = 0): LogState {
  const one = follow(run);
  const subscribe = useCallback(
    (tell: () => void) => {
      const calm = every === 0 ? null : atMostEvery(every, tell);
      const leave = follow(run).subscribe(calm?.tell ?? tell);
      return () => {
        calm?.stop();
        leave();
      };
    },
    [run, every],
  );
  return useSyncExternalStore(subscribe, one.get);
}
