import { describe, expect, it } from 'vitest';
import type { Visit } from '@/model/stream/transcript';
import { eventOf } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import recording from '../../../../crates/amelia/demo/recording.jsonl?raw';
import { RunLog } from './run-log';
import { applyToView, emptyView } from './run-view';

function demo(): LogEvent[] {
  return recording
    .trim()
    .split('\n')
    .flatMap((line) => {
      const event: LogEvent | undefined = JSON.parse(line).event;
      return event ? [event] : [];
    });
}

/** The demo's log many times over, with the numbers of one. */
function long(times: number): LogEvent[] {
  const once = demo();
  return Array.from({ length: times }, (_, round) =>
    once.map((event) => ({ ...event, seq: event.seq + round * once.length })),
  ).flat();
}

describe('a log', () => {
  it('drops what it knows already, and so has neither gap nor repetition', () => {
    const log = new RunLog('r');
    const all = demo();
    expect(log.append(all.slice(0, 100))).toBe(100);
    expect(log.append(all.slice(60))).toBe(all.length - 100);
    expect(log.append(all)).toBe(0);
    expect(log.events.map((event) => event.seq)).toEqual(all.map((event) => event.seq));
  });

  it('knows where the run stood at any moment', () => {
    const all = long(20);
    const log = new RunLog('r');
    log.append(structuredClone(all));
    for (const seq of [0, 1, 27, 999, 1000, 1001, 2500, all.length]) {
      const view = emptyView();
      for (const event of all.slice(0, seq)) applyToView(view, event);
      expect(log.viewAt(seq)).toEqual(view);
    }
  });

  it('shows what is being said until the log has it', () => {
    const log = new RunLog('r');
    const all = demo();
    log.append(all.slice(0, 6));
    const session = all.slice(6, 10).find(({ agent }) => agent === 'architect')?.session;
    log.say('architect', 'text', 'I look ', session);
    log.say('architect', 'text', 'first.', session);
    expect([...log.live.values()].map(({ text }) => text)).toEqual(['I look first.']);
    log.append(all.slice(6, 10));
    expect(log.live.size).toBe(0);
  });

  it('keeps apart what one agent says in two conversations', () => {
    const log = new RunLog('r');
    const all = demo().slice(0, 6);
    log.append(all);
    log.say('developer', 'text', 'One ', 's1');
    log.say('developer', 'text', 'Two ', 's2');
    log.say('developer', 'text', 'task', 's1');
    log.say('developer', 'text', 'tasks', 's2');
    const texts = () => [...log.live.values()].map(({ text }) => text);
    expect(texts()).toEqual(['One task', 'Two tasks']);
    const finished = { agent: { finished: { text: 'One task', is_error: false } } };
    const next = eventOf(all.length + 1, finished);
    log.append([{ ...next, agent: 'developer', session: 's1' }]);
    expect(texts()).toEqual(['Two tasks']);
  });

  it.each<[string, LogEvent['kind']]>([
    ['cancelled', { run: { cancelled: {} } }],
    ['failed', { run: { failed: { failure: { code: 'x', message: 'no' } } } }],
    ['paused', { run: { paused: { reason: 'pause' } } }],
  ])('shows nothing as being said after the run was %s', (_, kind) => {
    const log = new RunLog('r');
    const all = demo().slice(0, 6);
    log.append(all);
    log.say('architect', 'text', 'I was about to');
    log.append([eventOf(all.length + 1, kind)]);
    expect(log.live.size).toBe(0);
  });
});

describe('a story', () => {
  const log = new RunLog('r');
  log.append(demo());
  const visits = log.transcript.sections.filter((one): one is Visit => one.kind === 'visit');

  it('has a visit for every time that a stage was entered', () => {
    const names = visits.map(({ node, visit }) => `${node} ${visit}`);
    expect(names.slice(0, 8)).toEqual([
      'start 1',
      'plan 1',
      'validate 1',
      'approve 1',
      'develop 1',
      'check 1',
      'review 1',
      'evaluate 1',
    ]);
    expect(names.filter((name) => name.startsWith('develop'))).toHaveLength(3);
  });

  it('puts a result to its call, and money to its visit', () => {
    const develop = visits.find(({ node }) => node === 'develop');
    const calls = develop?.items.filter((item) => item.kind === 'call') ?? [];
    expect(calls.map(({ call }) => call.tool)).toEqual([
      'read_file',
      'shell',
      'edit_file',
      'shell',
    ]);
    expect(calls.every(({ result }) => result !== null)).toBe(true);
    expect(develop?.errors).toBe(1);
    expect(develop?.agents).toEqual(['developer']);
    const spent = visits.reduce((sum, { spend }) => sum + spend.tokens, 0);
    expect(spent).toBe(log.view.spend.tokens);
  });

  it('says once that the model is scripted, though every agent is warned', () => {
    const isNotice = (event: LogEvent) => JSON.stringify(event.kind).includes('scripted model');
    expect(log.events.filter(isNotice)).toHaveLength(8);
    const shown = visits.flatMap(({ items }) =>
      items.filter((item) => item.kind === 'note' && isNotice(item.event)),
    );
    expect(shown).toHaveLength(1);
  });

  it('knows the notice of a scripted model by its name, not by its words', () => {
    const told = new RunLog('r');
    const warned = (seq: number, message: string, notice?: string) =>
      eventOf(seq, { system: { warned: { message, ...(notice ? { details: { notice } } : {}) } } });
    told.append([
      warned(1, 'its answers are written', 'scripted_model'),
      warned(2, 'its answers are written', 'scripted_model'),
      warned(3, 'a file about a scripted model is large', 'large_file'),
    ]);
    const seqs = told.transcript.sections.flatMap((one) =>
      one.kind === 'outside' ? [one.item.seq] : [],
    );
    expect(seqs).toEqual([1, 3]);
  });

  it('has a thought once, though it is noted and part of the turn', () => {
    const plan = visits.find(({ node }) => node === 'plan');
    const thoughts = plan?.items.flatMap((item) => (item.kind === 'thinking' ? [item.text] : []));
    expect(thoughts?.length).toBeGreaterThan(0);
    expect(new Set(thoughts).size).toBe(thoughts?.length);
  });

  it('knows what came of it', () => {
    expect(log.facts.commits.map(({ message }) => message)).toEqual([
      'fix: add instead of subtract',
      'docs: explain how to use calc.sh',
    ]);
    expect(log.facts.reviews.map(({ review }) => review.approved)).toEqual([false, true, true]);
    expect(log.facts.questions.every(({ reply }) => reply?.action === 'approve')).toBe(true);
  });
});
