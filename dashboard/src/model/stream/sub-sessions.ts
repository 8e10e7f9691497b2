// Conversations that were started by a call of another agent: which call, and how they ended. Sub-agents are nested as deep
// as they delegate.

import type { LogEvent } from '@/wire/LogEvent';
import type { RunEvent } from '@/wire/log/RunEvent';
import { childId } from './child-id';
import type { CallItem } from './transcript';

export type SubSession = {
  id: string;
  agent: string;
  /** The call that started it. */
  call: CallItem;
  /** Its task, if the log has it. */
  task: string | null;
  fromSeq: number;
  /** No end while it lasts. */
  toSeq: number | null;
  /** Why it gave up. */
  failure: string | null;
};

export class SubSessions {
  private readonly byId = new Map<string, SubSession | null>();
  private readonly byCall = new Map<CallItem, SubSession>();
  /** Calls that have no result yet, by the visit in which they were made. */
  private readonly open = new Map<number, Set<CallItem>>();

  /** `undefined`: no call started it. */
  get(session: string | null): SubSession | undefined {
    return (session !== null && this.byId.get(session)) || undefined;
  }

  of(call: CallItem): SubSession | undefined {
    return this.byCall.get(call);
  }

  called(step: number, call: CallItem, earlier: CallItem | undefined): void {
    const calls = this.open.get(step) ?? new Set();
    this.open.set(step, calls.add(call));
    // Made again, it continues what it had started.
    const sub = earlier && this.byCall.get(earlier);
    if (!earlier || !sub) return;
    sub.call = call;
    this.byCall.delete(earlier);
    this.byCall.set(call, sub);
  }

  returned(step: number, call: CallItem): void {
    this.open.get(step)?.delete(call);
  }

  left(step: number): void {
    this.open.delete(step);
  }

  /** Takes an event of a session. */
  add(event: LogEvent, session: string): void {
    if (!this.byId.has(session)) this.byId.set(session, this.met(event, session));
    const sub = this.byId.get(session);
    if (sub && 'run' in event.kind) apply(sub, event.kind.run, event.seq);
  }

  private met(event: LogEvent, session: string): SubSession | null {
    const call = this.starterOf(event, session);
    if (!call) return null;
    const { agent, seq: fromSeq } = event;
    const sub = { id: session, agent, call, task: null, fromSeq, toSeq: null, failure: null };
    this.byCall.set(call, sub);
    return sub;
  }

  private starterOf(event: LogEvent, session: string): CallItem | undefined {
    const { step, run, kind } = event;
    if (step == null) return undefined;
    const calls = [...(this.open.get(step) ?? [])].filter((one) => one.session !== session);
    const exact = calls.find(
      ({ call, session: by }) => childId(by ?? run, step, call.id) === session,
    );
    // The log of a fork has the ids of the run that it was forked from.
    const task = taskIn('run' in kind ? kind.run : null);
    return exact ?? calls.find((one) => !this.byCall.has(one) && asks(one, event.agent, task));
  }
}

const asks = ({ call: { args } }: CallItem, agent: string, task: string | null) =>
  args.agent === agent && typeof args.task === 'string' && args.task.trim() === task;

const taskIn = (run: RunEvent | null): string | null =>
  run !== null && typeof run === 'object' && 'created' in run ? run.created.spec.title : null;

function apply(sub: SubSession, run: RunEvent, seq: number): void {
  sub.task = taskIn(run) ?? sub.task;
  if (typeof run !== 'object') return;
  if ('completed' in run || 'failed' in run || 'cancelled' in run) sub.toSeq = seq;
  if ('failed' in run) sub.failure = run.failed.failure.message;
}
