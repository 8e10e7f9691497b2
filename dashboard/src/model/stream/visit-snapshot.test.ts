import { describe, expect, it } from 'vitest';
import { lengthOf } from '@/model/event/waits';
import { countsAt } from '@/model/run/counts-at';
import { RunLog } from '@/model/run/run-log';
import { traceOf } from '@/model/trace/trace';
import { timesOf } from '@/model/trace/trace-rows';
import { agentEvent, entered, eventOf, left, said, timeOf } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import { visitSnapshot } from './visit-snapshot';

const ask = (seq: number) => eventOf(seq, { run: { paused: { reason: 'approval' } } });
const goOn = (seq: number) => eventOf(seq, { run: { resumed: { reason: 'replied' } } });

/** A second passes from one event to the next: approve waits from the third to the thirteenth. */
const events: LogEvent[] = [
  eventOf(1, { run: 'started' }),
  entered(2, 'approve', 1),
  ask(3),
  goOn(13),
  left(14, 'approve', 1, 0),
  entered(15, 'develop', 2),
  agentEvent(16, 2, 'developer', { used: { input_tokens: 10, output_tokens: 5 } }),
  said(17, 2, 'developer', 'I look.'),
  agentEvent(18, 2, 'developer', { called: { id: 'c', tool: 'shell', args: {} } }),
  agentEvent(20, 2, 'developer', {
    returned: { call: 'c', tool: 'shell', output: '', error: 'no', duration_ms: 5 },
  }),
  agentEvent(21, 2, 'tester', { used: { input_tokens: 100, output_tokens: 0 } }),
  said(22, 2, 'tester', 'I test.'),
  left(25, 'develop', 2, 10_000),
];

function logOf(list: LogEvent[]): RunLog {
  const log = new RunLog('run');
  log.append(list);
  return log;
}

function then(step: number, at: number | null, list = events) {
  const log = logOf(list);
  const visit = log.transcript.visits.get(step);
  if (!visit) throw new Error('there is no such visit');
  const { isOpen, workMs, waits, spend, errors, agents } = visitSnapshot(log, visit, at);
  return { isOpen, workMs, waited: lengthOf(waits, 0), tokens: spend.tokens, errors, agents };
}

describe('a stage at a moment', () => {
  it.each([
    // Both parts count: a second before the question, and none after it.
    [1, null, { isOpen: false, workMs: 1_000, waited: 10_000, tokens: 0, errors: 0, agents: [] }],
    // It waited, and had been entered a second before.
    [1, 3, { isOpen: true, workMs: 1_000, waited: 0, tokens: 0, errors: 0, agents: [] }],
    [1, 13, { isOpen: true, workMs: 1_000, waited: 10_000, tokens: 0, errors: 0, agents: [] }],
    [
      2,
      18,
      { isOpen: true, workMs: 3_000, waited: 0, tokens: 15, errors: 0, agents: ['developer'] },
    ],
    [
      2,
      20,
      { isOpen: true, workMs: 5_000, waited: 0, tokens: 15, errors: 1, agents: ['developer'] },
    ],
    [
      2,
      25,
      {
        isOpen: false,
        workMs: 10_000,
        waited: 0,
        tokens: 115,
        errors: 1,
        agents: ['developer', 'tester'],
      },
    ],
  ])('step %d as of %j', (step, at, expected) => {
    expect(then(step, at)).toEqual(expected);
  });

  it('has in its tree only what was there', () => {
    const [, develop] = traceOf(logOf(events), false, 18).children?.() ?? [];
    const [session, ...others] = develop?.children?.() ?? [];
    const [turn] = session?.children?.() ?? [];
    const [call] = turn?.children?.() ?? [];
    expect(others).toEqual([]);
    expect([call?.label, call?.outcome, call?.errors]).toEqual(['shell', 'open', 0]);
  });
});

describe('waiting for a person', () => {
  it('is counted apart from work', () => {
    const root = traceOf(logOf(events), false);
    const [approve] = root.children?.() ?? [];
    if (!approve) throw new Error('there is no stage');
    expect(timesOf(approve, 0)).toEqual({ work: 1_000, waited: 10_000 });
    expect(timesOf(root, 0)).toEqual({ work: 11_000, waited: 10_000 });
  });

  it('lasts until the answer', () => {
    const [approve] = traceOf(logOf(events.slice(0, 3)), false).children?.() ?? [];
    if (!approve) throw new Error('there is no stage');
    const inAMinute = Date.parse(timeOf(3)) + 60_000;
    expect(timesOf(approve, inAMinute)).toEqual({ work: 1_000, waited: 60_000 });
    expect([approve.end, approve.outcome]).toEqual([null, 'waits']);
  });
});

it('counts what there was', () => {
  const log = logOf(events);
  expect(countsAt(log, null)).toEqual({ checks: 0, review: 0, events: 13 });
  expect(countsAt(log, 14)).toEqual({ checks: 0, review: 0, events: 5 });
  const checked = eventOf(26, {
    task: { checked: { task: { id: '1', title: 't', index: 0, total: 1 }, checks: [] } },
  });
  log.append([checked]);
  expect(countsAt(log, null).checks).toBe(1);
  expect(countsAt(log, 25).checks).toBe(0);
});
