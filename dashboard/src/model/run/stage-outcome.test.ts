import { describe, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { entered, eventOf, left } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import type { EventKind } from '@/wire/log/EventKind';
import recording from '../../../../crates/amelia/demo/recording.jsonl?raw';
import { stageAgents } from './stage-agents';
import { stageOutcomes } from './stage-outcome';

function logOf(events: LogEvent[]): RunLog {
  const log = new RunLog('run');
  log.append(events);
  return log;
}

const demo = () =>
  logOf(
    recording
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line).event ?? []),
  );

const pipelineOf = (nodes: string[]) => ({ nodes, edges: [], kinds: new Map(), choices: [] });

const task = { id: '1', title: 'One', index: 0, total: 1 };
const check = (passed: boolean) => ({
  name: 'tests',
  command: 'make',
  passed,
  output: '',
  duration_ms: 1,
  timed_out: false,
});
const checked = (...passed: boolean[]): EventKind => ({
  task: { checked: { task, checks: passed.map(check) } },
});
const inStep = (seq: number, kind: EventKind) => eventOf(seq, kind, { step: 1 });

describe('the outcome of a stage', () => {
  it.each<[string, EventKind[], string]>([
    ['nothing is noted', [], 'good'],
    ['all checks pass', [checked(true, true)], 'good'],
    ['a check fails', [checked(true, false)], 'bad'],
    ['a check fails first', [checked(false), checked(true)], 'good'],
    ['its task fails', [{ task: { failed: { task, error: 'no' } } }], 'bad'],
  ])('when %s', (_, kinds, outcome) => {
    const notes = kinds.map((kind, index) => inStep(index + 2, kind));
    const log = logOf([entered(1, 'check', 1), ...notes, left(9, 'check', 1)]);
    expect([...stageOutcomes(log.transcript.sections, false)]).toEqual([['check', outcome]]);
  });

  it('is not known while it is open, and stopped when its run is over', () => {
    const { sections } = logOf([entered(1, 'develop', 1)]).transcript;
    expect([...stageOutcomes(sections, false)]).toEqual([]);
    expect([...stageOutcomes(sections, true)]).toEqual([['develop', 'stopped']]);
  });

  it('is that of the last visit, also as of then', () => {
    const { sections } = demo().transcript;
    expect(Object.fromEntries(stageOutcomes(sections, true))).toMatchObject({
      plan: 'good',
      approve: 'good',
      review: 'good',
      commit: 'good',
    });
    const first = sections.find((one) => one.kind === 'visit' && one.node === 'review');
    const end = first?.kind === 'visit' ? (first.toSeq ?? 0) : 0;
    expect(stageOutcomes(sections, false, end).get('review')).toBe('back');
  });
});

describe('the agent of a stage', () => {
  it('is known before it has worked, and as it was where the pipeline is not known', () => {
    const { sections } = demo().transcript;
    const nodes = ['start', 'plan', 'approve', 'develop 2', 'check', 'review', 'evaluate'];
    expect(Object.fromEntries(stageAgents(pipelineOf(nodes), []))).toEqual({
      plan: 'architect',
      approve: 'human',
      'develop 2': 'developer',
      review: 'reviewer',
      evaluate: 'evaluator',
    });
    const [visit] = sections.filter((one) => one.kind === 'visit' && one.node === 'develop');
    const work = visit?.kind === 'visit' ? [{ ...visit, node: 'work' }] : [];
    expect([...stageAgents(pipelineOf(['work']), work)]).toEqual([['work', 'developer']]);
  });

  it('is not guessed from names in a graph from a file', () => {
    const kinds = new Map([
      ['review', 'agent'],
      ['gate', 'human'],
    ]);
    const pipeline = { ...pipelineOf(['review', 'gate']), kinds };
    expect([...stageAgents(pipeline, [])]).toEqual([['gate', 'human']]);
  });

  it('is not an agent where a tool is called', () => {
    const { sections } = demo().transcript;
    const [visit] = sections.filter((one) => one.kind === 'visit' && one.node === 'develop');
    const save = visit?.kind === 'visit' ? [{ ...visit, node: 'save', agents: ['workflow'] }] : [];
    const pipeline = { ...pipelineOf(['save']), kinds: new Map([['save', 'tool']]) };
    expect([...stageAgents(pipeline, save)]).toEqual([]);
  });
});
