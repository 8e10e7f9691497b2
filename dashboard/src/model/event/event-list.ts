// The raw log, filtered. Takes what is new; a changed filter makes it again.

import type { RunLog } from '@/model/run/run-log';
import { patternOf } from '@/model/stream/rows';
import type { LogEvent } from '@/wire/LogEvent';
import { noteLabel } from './answer-label';
import { nameOf } from './event';
import type { Level } from './level';

export type EventFilter = {
  text: string;
  /** Nothing: all of them. */
  levels: readonly Level[];
  agents: readonly string[];
  names: readonly string[];
};

export class EventList {
  /** Places in the log's own list. */
  readonly places: number[] = [];
  readonly agents = new Set<string>();
  readonly names = new Set<string>();
  private readonly log: RunLog;
  private readonly filter: EventFilter;
  private readonly pattern: RegExp | null;
  private read = 0;

  constructor(log: RunLog, filter: EventFilter) {
    this.log = log;
    this.filter = filter;
    this.pattern = patternOf(filter.text);
  }

  update(): void {
    const { events } = this.log;
    for (; this.read < events.length; this.read += 1) {
      const event = events[this.read];
      if (event && this.shows(event)) this.places.push(this.read);
    }
  }

  at(index: number): LogEvent | undefined {
    return this.log.events[this.places[index] ?? -1];
  }

  /** The row of this event, or of the last one before it; -1 when there is none. */
  indexOf(seq: number): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.at(middle)?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** One event on each line, as it is in the log. */
  *lines(): Generator<string> {
    for (const place of this.places) {
      const { level: _level, summary: _summary, ...event } = this.log.events[place] ?? {};
      yield `${JSON.stringify(event)}\n`;
    }
  }

  private shows(event: LogEvent): boolean {
    const { levels, agents, names } = this.filter;
    const name = nameOf(event);
    this.agents.add(event.agent);
    this.names.add(name);
    if (levels.length > 0 && !levels.includes(event.level)) return false;
    if (agents.length > 0 && !agents.includes(event.agent)) return false;
    if (names.length > 0 && !names.includes(name)) return false;
    const { pattern } = this;
    return pattern === null || pattern.test(name) || pattern.test(noteLabel(event, null));
  }
}
