// Our folds, and the server's, over the same logs.

import { describe, expect, it } from 'vitest';
import { nameOf } from '@/model/event/event';
import { levelOf } from '@/model/event/level';
import { summaryOf } from '@/model/event/summary';
import demoFold from '@/test/folds/demo.json?raw';
import everyKindFold from '@/test/folds/every-kind.json?raw';
import type { Event } from '@/wire/log/Event';
import type { RunView } from '@/wire/log/RunView';
import recording from '../../../../crates/amelia/demo/recording.jsonl?raw';
import { applyToView, emptyView } from './run-view';

type Fold = {
  events: Event[];
  said: { seq: number; name: string; level: string; summary: string }[];
  views: RunView[];
};

const folds: Record<string, Fold> = {
  'every-kind': JSON.parse(everyKindFold),
  demo: JSON.parse(demoFold),
};

function demo(): Event[] {
  const lines = recording.trim().split('\n');
  return lines.flatMap((line) => {
    const event: Event | undefined = JSON.parse(line).event;
    return event ? [event] : [];
  });
}

const cases: [string, () => Event[]][] = [
  ['every-kind', () => folds['every-kind']?.events ?? []],
  ['demo', demo],
];

describe.each(cases)('the log %s', (name, log) => {
  const expected = folds[name] ?? { events: [], said: [], views: [] };

  it('is said in the same words', () => {
    const said = log().map((event) => ({
      seq: event.seq,
      name: nameOf(event),
      level: levelOf(event),
      summary: summaryOf(event),
    }));
    expect(said).toEqual(expected.said);
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
