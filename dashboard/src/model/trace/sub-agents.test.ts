import { describe, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { childId } from '@/model/stream/child-id';
import { entered, eventOf, left, timeOf } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import type { AgentEvent } from '@/wire/log/AgentEvent';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { RunSpec } from '@/wire/log/RunSpec';
import { sessionOf } from './session';
import { traceOf } from './trace';
import type { TraceNode } from './trace-node';
import { nextFailure, rowsOf, waysToFailures } from './trace-rows';

const MANAGER = childId('run', 1, 'manager');
const RESEARCHER = childId(MANAGER, 1, 'c1');
const WRITER = childId(MANAGER, 1, 'c2');
const HELPER = childId(RESEARCHER, 1, 'c1');

type Speaker = [agent: string, session: string];
const manager: Speaker = ['manager', MANAGER];
const researcher: Speaker = ['researcher', RESEARCHER];
const writer: Speaker = ['writer', WRITER];
const helper: Speaker = ['helper', HELPER];

const of = (seq: number, [agent, session]: Speaker, kind: LogEvent['kind']) =>
  eventOf(seq, kind, { agent, session, step: 1 });
const does = (seq: number, by: Speaker, agent: AgentEvent) => of(seq, by, { agent });
const lives = (seq: number, by: Speaker, run: RunEvent) => of(seq, by, { run });

const said = (seq: number, by: Speaker, text: string) =>
  does(seq, by, {
    said: {
      id: `m${seq}`,
      at: timeOf(seq),
      role: 'assistant',
      agent: by[0],
      parts: [{ text: { text } }],
      mode: 'autonomous',
    },
  });
const used = (seq: number, by: Speaker) =>
  does(seq, by, {
    used: { input_tokens: 90, output_tokens: 10, cost_usd: 0.25, duration_ms: 500 },
  });
const delegates = (seq: number, by: Speaker, id: string, agent: string) =>
  does(seq, by, { called: { id, tool: 'delegate', args: { agent, task: `Task of ${agent}` } } });
const returned = (seq: number, by: Speaker, call: string, error: string | null = null) =>
  does(seq, by, { returned: { call, tool: 'delegate', output: '', error } });
const created = (seq: number, by: Speaker) =>
  lives(seq, by, { created: { spec: { title: `Task of ${by[0]}` } as RunSpec } });

const events = [
  entered(1, 'plan', 1),
  used(2, manager),
  said(3, manager, 'Two of you can do this.'),
  delegates(4, manager, 'c1', 'researcher'),
  delegates(5, manager, 'c2', 'writer'),
  created(6, researcher),
  created(7, writer),
  used(8, researcher),
  said(9, researcher, 'I ask another.'),
  delegates(10, researcher, 'c1', 'helper'),
  created(11, helper),
  said(12, helper, 'No.'),
  lives(13, helper, { failed: { failure: { code: 'sub_agent', message: 'it is broken' } } }),
  returned(14, researcher, 'c1', '`helper` did not finish'),
  said(15, writer, 'Rivers are long.'),
  lives(16, writer, { completed: { summary: 'Rivers are long.' } }),
  returned(17, manager, 'c2'),
];
const rest = [
  lives(18, researcher, { completed: { summary: 'A README.' } }),
  returned(19, manager, 'c1'),
  said(20, manager, 'Done.'),
  left(21, 'plan', 1, 20_000),
];

function logOf(list: LogEvent[]): RunLog {
  const log = new RunLog('run');
  log.append([eventOf(0.5, { run: 'started' }), ...list]);
  return log;
}

const everything = (root: TraceNode) => {
  const keys = new Set<string>();
  const meet = (node: TraceNode) => {
    keys.add(node.key);
    node.children?.().forEach(meet);
  };
  meet(root);
  return rowsOf(root, keys);
};

const lines = (root: TraceNode) =>
  everything(root).map(
    ({ node, depth }) =>
      `${' '.repeat(depth)}${node.label} ${node.outcome} ${node.errors} ${node.spend.usd}` +
      (node.about ? ` (${node.about})` : ''),
  );

describe('sub-agents', () => {
  it('stand under the calls that started them, as deep as they go', () => {
    expect(lines(traceOf(logOf([...events, ...rest]), false))).toEqual([
      'Run good 1 0.5',
      ' plan good 1 0.5',
      '  manager good 1 0.5',
      '   Two of you can do this. good 1 0.5',
      '    delegate good 1 0.25 (Task of researcher)',
      '     researcher good 1 0.25 (Task of researcher)',
      '      I ask another. good 1 0.25',
      '       delegate bad 1 0 (`helper` did not finish)',
      '        helper bad 0 0 (it is broken)',
      '         No. good 0 0',
      '    delegate good 0 0 (Task of writer)',
      '     writer good 0 0 (Task of writer)',
      '      Rivers are long. good 0 0',
      '   Done. good 0 0',
    ]);
  });

  it('are at work as long as they have not ended, and stand as of then', () => {
    const log = logOf(events);
    log.view.status = 'running';
    const [, , , , call, session] = lines(traceOf(log, false));
    expect(call).toContain('delegate open');
    expect(session).toContain('researcher open');
    const early = lines(traceOf(logOf([...events, ...rest]), false, 7));
    expect(early.some((line) => line.includes('researcher'))).toBe(true);
    expect(early.some((line) => line.includes('helper'))).toBe(false);
  });

  it('that work side by side take the time of the longest', () => {
    const root = traceOf(logOf([...events, ...rest]), false);
    const turn = everything(root)[3]?.node;
    // Half a second of thought, and from the first call to the last result.
    expect(turn?.durationMs).toBe(500 + 15_000);
  });

  it('are put together by name, too', () => {
    expect(lines(traceOf(logOf([...events, ...rest]), true)).slice(2)).toEqual([
      '  manager good 1 0.5',
      '   delegate good 1 0.25',
      '    researcher good 1 0.25',
      '     delegate bad 1 0',
      '      helper bad 0 0',
      '    writer good 0 0',
    ]);
  });

  it('are found in the log of a fork by their task', () => {
    const forked = [...events, ...rest].map((event) =>
      event.session === WRITER ? { ...event, session: 'of-another-run' } : event,
    );
    expect(lines(traceOf(logOf(forked), false))).toContain('     writer good 0 0 (Task of writer)');
  });

  it('can be read as a whole', () => {
    const log = logOf([...events, ...rest]);
    const session = sessionOf(log, RESEARCHER);
    expect(session?.sub?.task).toBe('Task of researcher');
    expect(session?.items.map(({ item }) => item.kind)).toEqual(['text', 'call']);
    expect(session?.spend.tokens).toBe(100);
    expect(sessionOf(log, MANAGER)?.sub).toBeNull();
    expect(sessionOf(log, HELPER, 11)).toBeNull();
    expect(sessionOf(log, 'nothing')).toBeNull();
  });
});

describe('failures', () => {
  it('are seen after opening the way to them, and nothing else', () => {
    const root = traceOf(logOf([...events, ...rest]), false);
    const rows = rowsOf(root, new Set(waysToFailures(root)));
    expect(rows.map(({ node }) => node.label)).toEqual([
      'Run',
      'plan',
      'manager',
      'Two of you can do this.',
      'delegate',
      'researcher',
      'I ask another.',
      'delegate',
      'delegate',
      'Done.',
    ]);
    expect(nextFailure(rows, -1)).toBe(7);
    expect(nextFailure(rows, 7)).toBe(7);
    expect(nextFailure([], 0)).toBe(-1);
  });
});

describe('a long run', () => {
  it('of 100,000 events has few rows until it is opened', { timeout: 60_000 }, () => {
    const long: LogEvent[] = [entered(1, 'develop', 1)];
    for (let seq = 2; seq < 100_000; seq += 3) {
      long.push(said(seq, manager, 'Next.'));
      long.push(
        does(seq + 1, manager, {
          called: { id: `c${seq}`, tool: 'shell', args: { command: 'ls' } },
        }),
      );
      long.push(
        does(seq + 2, manager, {
          returned: { call: `c${seq}`, tool: 'shell', output: '', error: null },
        }),
      );
    }
    const log = logOf(long);
    const root = traceOf(log, false);
    expect(rowsOf(root, new Set())).toHaveLength(2);
    const [stage] = root.children?.() ?? [];
    const [session] = stage?.children?.() ?? [];
    const keys = new Set([stage?.key ?? '', session?.key ?? '']);
    expect(rowsOf(root, keys).length).toBeGreaterThan(33_000);
    expect(everything(traceOf(log, true))).toHaveLength(4);
  });
});
