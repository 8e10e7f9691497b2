import { describe, expect, it } from 'vitest';
import { entered, left } from '@/test/events';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { edgesTaken, readPipeline } from './pipeline';
import { RunLog } from './run-log';

const edge = (from: string, to: string) => ({ from, to, kind: 'route' });
const graph = {
  name: 'small',
  nodes: ['check', 'develop', 'finish', 'plan'],
  edges: [
    edge('__start__', 'plan'),
    edge('check', 'develop'),
    edge('check', 'finish'),
    edge('develop', 'check'),
    edge('finish', '__end__'),
    edge('plan', 'develop'),
  ],
};

describe('a pipeline', () => {
  it('is read in the order in which a run goes through it', () => {
    const { nodes, edges } = readPipeline(graph);
    expect(nodes).toEqual(['plan', 'develop', 'check', 'finish']);
    expect(edges).toHaveLength(4);
  });

  it.each<[JsonValue]>([[null], [3], [[]], [{ nodes: 'no' }], [{ edges: [{ from: 1 }] }]])(
    'survives %j',
    (rubbish) => {
      expect(readPipeline(rubbish)).toEqual({
        nodes: [],
        edges: [],
        kinds: new Map(),
        choices: [],
      });
    },
  );

  it('shows the way that was taken, also as of then', () => {
    const log = new RunLog('run');
    const way = ['plan', 'develop', 'check', 'develop', 'check', 'finish'];
    log.append(
      way.flatMap((node, at) => [
        entered(at * 2 + 1, node, at + 1),
        left(at * 2 + 2, node, at + 1),
      ]),
    );
    const pipeline = readPipeline(graph);
    const { sections } = log.transcript;
    expect([...edgesTaken(pipeline, sections)]).toEqual([
      ['plan→develop', 1],
      ['develop→check', 2],
      ['check→develop', 1],
      ['check→finish', 1],
    ]);
    expect([...edgesTaken(pipeline, sections, 4)]).toEqual([['plan→develop', 1]]);
  });

  it('shows the way through branches that run at the same time', () => {
    const fork = {
      nodes: ['bad', 'good', 'join', 'look'],
      edges: [
        edge('__start__', 'look'),
        { ...edge('look', 'bad'), kind: 'fork' },
        { ...edge('look', 'good'), kind: 'fork' },
        { ...edge('bad', 'join'), kind: 'join' },
        { ...edge('good', 'join'), kind: 'join' },
        edge('join', 'look'),
      ],
    };
    const log = new RunLog('run');
    const round = (at: number, step: number) => [
      entered(at, 'look', step),
      left(at + 1, 'look', step),
      entered(at + 2, 'bad', step + 1),
      entered(at + 3, 'good', step + 2),
      left(at + 4, 'good', step + 2),
      left(at + 5, 'bad', step + 1),
      entered(at + 6, 'join', step + 3),
      left(at + 7, 'join', step + 3),
    ];
    log.append([...round(1, 1), ...round(9, 5)]);
    const taken = edgesTaken(readPipeline(fork), log.transcript.sections);
    expect(Object.fromEntries(taken)).toEqual({
      'look→bad': 2,
      'look→good': 2,
      'bad→join': 2,
      'good→join': 2,
      'join→look': 1,
    });
  });
});
