import { describe, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { agentEvent, entered, left, noteEvent, said } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import { HEADER, keyOf, NO_FILTER, type RowFilter, Rows, usageAt } from './rows';

function logOf(events: LogEvent[]): RunLog {
  const log = new RunLog('run');
  log.append(events);
  return log;
}

/** A plan, then two stages side by side, then a note between the stages. */
const transcript: LogEvent[] = [
  entered(1, 'plan', 1),
  said(2, 1, 'architect', 'I look at the sum first.'),
  agentEvent(3, 1, 'architect', { called: { id: 'a', tool: 'shell', args: { command: 'ls' } } }),
  left(4, 'plan', 1),
  entered(5, 'develop', 2),
  entered(6, 'review', 3),
  said(7, 3, 'reviewer', 'Looks right.'),
  said(8, 2, 'developer', 'The sum is a sum now.'),
  said(9, 3, 'reviewer', ''),
  noteEvent(10),
];

function shown(rows: Rows): string[] {
  return rows.list.map((row) => {
    const section = rows.sectionOf(row);
    if (row.item === HEADER && section?.kind === 'visit') return section.node;
    return String(rows.seqOf(row));
  });
}

describe('the rows of a stream', () => {
  it('are a header for each visit, and under it what was said; a turn without words is none', () => {
    const rows = new Rows(logOf(transcript));
    rows.update();
    expect(shown(rows)).toEqual(['plan', '2', '3', 'develop', '8', 'review', '7', '10']);
    expect(rows.agents).toEqual(['architect', 'developer', 'reviewer']);
  });

  it('are the same when the events come one by one', () => {
    const log = new RunLog('run');
    const rows = new Rows(log);
    for (const event of transcript) {
      log.append([event]);
      rows.update();
    }
    const whole = new Rows(logOf(transcript));
    whole.update();
    expect(shown(rows)).toEqual(shown(whole));
    expect(rows.update()).toBe(false);
  });

  it('keep their keys when others come between them', () => {
    const log = logOf(transcript.slice(0, 7));
    const rows = new Rows(log);
    rows.update();
    const before = rows.list.map(keyOf);
    log.append(transcript.slice(7));
    rows.update();
    expect(rows.list.map(keyOf)).toEqual(expect.arrayContaining(before));
  });

  it.each<[string, Partial<RowFilter>, string[]]>([
    ['words', { text: 'SUM' }, ['plan', '2', 'develop', '8']],
    ['words with signs of patterns', { text: 'sum (' }, []],
    ['an agent', { agents: ['reviewer'] }, ['review', '7']],
    ['a kind', { kinds: ['call'] }, ['plan', '3']],
    ['both', { kinds: ['text'], agents: ['architect'] }, ['plan', '2']],
  ])('are filtered by %s', (_, filter, expected) => {
    const rows = new Rows(logOf(transcript), { ...NO_FILTER, ...filter });
    rows.update();
    expect(shown(rows)).toEqual(expected);
  });

  it('of a folded visit are its header alone', () => {
    const rows = new Rows(
      logOf(transcript),
      NO_FILTER,
      new Set([keyOf({ section: 0, item: HEADER })]),
    );
    rows.update();
    expect(shown(rows)).toEqual(['plan', 'develop', '8', 'review', '7', '10']);
  });

  it.each([
    [0, -1],
    [1, 0],
    [2, 1],
    [4, 2],
    [7, 6],
    [99, 7],
  ])('say where #%d is', (seq, index) => {
    const rows = new Rows(logOf(transcript));
    rows.update();
    expect(rows.indexOf(seq)).toBe(index);
  });

  it('find what has come of a call after the call was there', () => {
    const call = { id: 'a', tool: 'shell', args: { command: 'ls' } };
    const log = logOf([
      entered(1, 'plan', 1),
      agentEvent(2, 1, 'architect', { called: call }),
      said(3, 1, 'architect', 'A zebra, I think.'),
    ]);
    const rows = new Rows(log, { ...NO_FILTER, text: 'zebra' });
    rows.update();
    expect(shown(rows)).toEqual(['plan', '3']);
    const result = { call: 'a', tool: 'shell', output: 'zebra.txt', duration_ms: 1 };
    log.append([agentEvent(4, 1, 'architect', { returned: result })]);
    rows.update();
    expect(shown(rows)).toEqual(['plan', '2', '3']);
    expect(rows.update()).toBe(false);
  });

  it('know the last visit of a node, also as of then', () => {
    const rows = new Rows(logOf([...transcript, entered(11, 'plan', 4)]));
    rows.update();
    expect([rows.lastVisit('plan'), rows.lastVisit('plan', 5), rows.lastVisit('merge')]).toEqual([
      8, 0, -1,
    ]);
  });

  it('tell the cost of a turn on its words, or on the call that it is', () => {
    const log = logOf([
      entered(1, 'plan', 1),
      said(2, 1, 'architect', ''),
      agentEvent(3, 1, 'architect', { called: { id: 'a', tool: 'shell', args: {} } }),
    ]);
    const visit = log.transcript.visits.get(1);
    expect(visit && usageAt(visit, 1)?.seq).toBe(2);
  });
});
