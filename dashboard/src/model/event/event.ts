// An event taken apart once: its subject, its fact, and what the fact says. Everything else here switches on that.

import type { LogEvent } from '@/wire/LogEvent';
import type { EventKind } from '@/wire/log/EventKind';

/** `{ run: 'queued' }` and `{ agent: { called: … } }`, as one union of subjects. */
type Subjects = EventKind extends infer Kind ? (Kind extends object ? keyof Kind : never) : never;

export type Subject = Subjects & string;

/** `run.queued`, `agent.called`: our own stable name of an event. */
export function nameOf(event: LogEvent): string {
  for (const subject in event.kind) {
    const fact: unknown = Reflect.get(event.kind, subject);
    if (typeof fact === 'string') return `${subject}.${fact}`;
    if (fact !== null && typeof fact === 'object')
      for (const name in fact) return `${subject}.${name}`;
  }
  return 'unknown';
}

/** Milliseconds since the epoch, of a time as the server writes it (nanoseconds are cut). */
export function millis(at: string): number {
  return Date.parse(at);
}
