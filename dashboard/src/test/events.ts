// Small events for tests.

import type { LogEvent } from '@/wire/LogEvent';
import type { AgentEvent } from '@/wire/log/AgentEvent';
import type { EventKind } from '@/wire/log/EventKind';

const START = Date.UTC(2026, 10, 15, 12);

/** One second after the other. */
export const timeOf = (seq: number) => new Date(START + seq * 1_000).toISOString();

export function eventOf(seq: number, kind: EventKind, more: Partial<LogEvent> = {}): LogEvent {
  return {
    run: 'run',
    seq,
    trace: 'trace',
    id: `event-${seq}`,
    at: timeOf(seq),
    agent: 'system',
    domain: 'workflow',
    kind,
    level: 'info',
    summary: '',
    ...more,
  };
}

export const entered = (seq: number, node: string, step: number) =>
  eventOf(seq, { node: { entered: { node, step } } });

export const left = (seq: number, node: string, step: number, duration_ms = 1_000) =>
  eventOf(seq, { node: { left: { node, step, duration_ms } } });

export const agentEvent = (
  seq: number,
  step: number,
  agent: string,
  event: AgentEvent,
  summary = '',
) => eventOf(seq, { agent: event }, { agent, step, session: `${agent}-${step}`, summary });

export const said = (seq: number, step: number, agent: string, text: string) => {
  const parts = [{ text: { text } }];
  const message = {
    id: `message-${seq}`,
    at: timeOf(seq),
    role: 'assistant' as const,
    agent,
    parts,
  };
  return agentEvent(seq, step, agent, { said: { ...message, mode: 'autonomous' } }, text);
};

export const noteEvent = (seq: number) => eventOf(seq, { run: 'started' });
