// Our folds, and the server's, over the same logs.

import { describe, expect, it } from 'vitest';
import { nameOf } from '@/model/event/event';
import demoFold from '@/test/folds/demo.json?raw';
import everyKindFold from '@/test/folds/every-kind.json?raw';
import type { LogEvent } from '@/wire/LogEvent';
import type { RunView } from '@/wire/log/RunView';
import recording from '../../../../crates/amelia/demo/recording.jsonl?raw';
import { applyToView, emptyView } from './run-view';

type Fold = {
  events: LogEvent[];
  said: { seq: number; name: string; level: string; summary: string }[];
  views: RunView[];
};

const folds: Record<string, Fold> = {
  'every-kind': JSON.parse(everyKindFold),
  demo: JSON.parse(demoFold),
};

/** A recording has the events as they are stored; the server adds what is read of them when it sends them. */
function demo(): LogEvent[] {
  const lines = recording.trim().split('\n');
  const events = lines.flatMap((line) => JSON.parse(line).event ?? []);
  return events.map((event, index) => ({ ...event, ...folds.demo?.said[index] }));
}

const cases: [string, () => LogEvent[]][] = [
  ['every-kind', () => folds['every-kind']?.events ?? []],
  ['demo', demo],
];

describe.each(cases)('the log %s', (name, log) => {
  const expected = folds[name] ?? { events: [], said: [], views: [] };

  it('has the same names', () => {
    const names = log().map((event) => nameOf(event));
    expect(names).toEqual(expected.said.map((said) => said.name));
  });

  it('stands where the server says it stands', () => {
    const view = emptyView();
    const wanted = new Map(expected.views.map((view) => [view.seq, view]));
    for (const event of log()) {
      applyToView(view, event);
      const there = wanted.get(event.seq);
      if (there) expect(view).toEqual(there);
    }
    expect(view).toEqual(expected.views.at(-1));
  });
});
