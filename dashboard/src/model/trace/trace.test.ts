import { describe, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { agentEvent, entered, eventOf, left, said, timeOf } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import { traceOf } from './trace';
import type { TraceNode } from './trace-node';
import { priceOf, rowsOf } from './trace-rows';

const used = (seq: number, step: number, agent: string) =>
  agentEvent(seq, step, agent, {
    used: { input_tokens: 100, output_tokens: 20, cost_usd: 0.5, duration_ms: 400 },
  });

const call = (seq: number, step: number, tool: string) =>
  agentEvent(seq, step, 'developer', { called: { id: `c${seq}`, tool, args: {} } });

const returned = (seq: number, step: number, of: number, error: string | null) =>
  agentEvent(seq, step, 'developer', {
    returned: { call: `c${of}`, tool: 'shell', output: '', error, duration_ms: 250 },
  });

const events: LogEvent[] = [
  eventOf(1, { run: 'started' }),
  entered(2, 'develop', 1),
  used(3, 1, 'developer'),
  said(4, 1, 'developer', 'First I see it fail.'),
  call(5, 1, 'shell'),
  returned(6, 1, 5, 'exit code 1'),
  used(7, 1, 'developer'),
  said(8, 1, 'developer', ''),
  call(9, 1, 'shell'),
  returned(10, 1, 9, null),
  left(11, 'develop', 1, 900),
  entered(12, 'develop', 2),
  call(13, 2, 'shell'),
];

function logOf(list: LogEvent[]): RunLog {
  const log = new RunLog('run');
  log.append(list);
  return log;
}

const line = ({ label, count, durationMs, spend, outcome }: TraceNode) =>
  `${label} ×${count} ${durationMs} ms ${spend.tokens} ${priceOf(spend)} ${outcome}`;

function open(root: TraceNode): string[] {
  const all = new Set<string>();
  const meet = (node: TraceNode) => {
    all.add(node.key);
    for (const child of node.children?.() ?? []) meet(child);
  };
  meet(root);
  return rowsOf(root, all).map(({ node, depth }) => `${' '.repeat(depth)}${line(node)}`);
}

describe('a run as a tree', () => {
  it('has stages, conversations, turns and calls, each with what it took', () => {
    expect(open(traceOf(logOf(events), false))).toEqual([
      'Run ×1 900 ms 240 1 open',
      ' develop ×1 900 ms 240 1 good',
      '  developer ×1 1300 ms 240 1 good',
      '   First I see it fail. ×1 650 ms 120 0.5 good',
      '    shell ×1 250 ms 0 0 bad',
      '   Turn 2 ×1 650 ms 120 0.5 good',
      '    shell ×1 250 ms 0 0 good',
      ' develop ×1 null ms 0 0 open',
      '  developer ×1 0 ms 0 0 open',
      '   Turn 1 ×1 0 ms 0 0 open',
      '    shell ×1 null ms 0 0 open',
    ]);
  });

  it('puts alike together', () => {
    expect(open(traceOf(logOf(events), true))).toEqual([
      'Run ×1 900 ms 240 1 open',
      ' develop ×2 900 ms 240 1 open',
      '  developer ×2 1300 ms 240 1 open',
      '   shell ×3 500 ms 0 0 open',
    ]);
  });

  it('stands as of then', () => {
    const root = traceOf(logOf(events), false, 8);
    expect(root.children?.().map(line)).toEqual(['develop ×1 6000 ms 240 1 open']);
  });

  it('shows a failed run at the stage where it failed', () => {
    const failure = { code: 'node_failed', message: 'no' };
    const log = logOf([...events, eventOf(14, { run: { failed: { failure } } })]);
    expect(
      traceOf(log, false)
        .children?.()
        .map(({ outcome }) => outcome),
    ).toEqual(['good', 'bad']);
  });

  it('shows what a cancelled run was at as stopped, up to the moment of the cancel', () => {
    const log = logOf([...events, eventOf(20, { run: { cancelled: {} } })]);
    const root = traceOf(log, false);
    expect(open(root).slice(-4)).toEqual([
      ' develop ×1 8000 ms 0 0 stopped',
      '  developer ×1 7000 ms 0 0 stopped',
      '   Turn 1 ×1 7000 ms 0 0 stopped',
      '    shell ×1 7000 ms 0 0 stopped',
    ]);
    expect([root.outcome, root.end]).toEqual(['stopped', Date.parse(timeOf(20))]);
  });

  it('opens only what was asked for', () => {
    expect(rowsOf(traceOf(logOf(events), false), new Set())).toHaveLength(3);
  });
});
