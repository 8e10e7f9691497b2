import { describe, expect, it } from 'vitest';
import { layOut, NODE } from './graph-layout';

const edges = (text: string) =>
  text.split(' ').map((one) => {
    const [from = '', to = ''] = one.split('>');
    return { from, to };
  });

const implementation = {
  nodes: 'start plan validate approve develop check review evaluate commit finish'.split(' '),
  edges: edges(
    'start>plan start>validate plan>validate validate>approve validate>plan approve>develop approve>plan ' +
      'approve>finish develop>check develop>develop check>review check>develop review>evaluate review>commit ' +
      'evaluate>commit evaluate>develop evaluate>review commit>develop commit>check commit>finish',
  ),
};

const lanes = {
  nodes: ['divide', 'develop 2', 'develop 1', 'commit 1', 'commit 2', 'merge'],
  edges: [
    { from: 'divide', to: 'develop 1' },
    { from: 'divide', to: 'develop 2' },
    { from: 'develop 1', to: 'commit 1' },
    { from: 'develop 2', to: 'commit 2' },
    { from: 'commit 1', to: 'merge' },
    { from: 'commit 2', to: 'merge' },
    { from: 'commit 1', to: 'develop 1' },
    { from: 'merge', to: 'divide' },
  ],
};

/** Where the line runs up or down. */
const channelOf = (path: string) => Number(/Q(-?[\d.]+),/.exec(path)?.[1]);

describe('the picture of a pipeline', () => {
  it('has its main line straight, from top to bottom', () => {
    const { nodes, edges: lines } = layOut(implementation);
    expect(new Set(nodes.map(({ x }) => x)).size).toBe(1);
    expect(nodes.map(({ id }) => id)).toEqual(implementation.nodes);
    const ys = nodes.map(({ y }) => y);
    expect(ys).toEqual([...ys].sort((a, b) => a - b));
    const next = lines.filter(({ from, to }) => {
      const at = implementation.nodes.indexOf(from);
      return implementation.nodes[at + 1] === to;
    });
    expect(next).toHaveLength(9);
    for (const { path } of next) expect(path).toMatch(/^M-?[\d.]+,[\d.]+ V[\d.]+$/);
  });

  it('has every line but those from a stage to itself, and none on top of another', () => {
    const { edges: lines, box } = layOut(implementation);
    expect(lines).toHaveLength(implementation.edges.length - 1);
    const spans = lines
      .filter(({ path }) => path.includes('Q'))
      .map(({ path, from, to }) => {
        const rows = [from, to].map((node) => implementation.nodes.indexOf(node));
        return { x: channelOf(path), top: Math.min(...rows), bottom: Math.max(...rows) };
      });
    for (const [index, one] of spans.entries())
      for (const other of spans.slice(index + 1))
        expect(one.x === other.x && one.top <= other.bottom && other.top <= one.bottom).toBe(false);
    expect(box.width).toBeLessThan(220);
  });

  it('has lanes side by side around the middle, and passes them where it goes back', () => {
    const { nodes, edges: lines } = layOut(lanes);
    const x = (id: string) => (nodes.find((node) => node.id === id)?.x ?? 0) + NODE.width / 2;
    expect([x('divide'), x('merge')]).toEqual([0, 0]);
    expect(x('develop 1')).toBe(-x('develop 2'));
    expect(x('develop 1')).toBeLessThan(0);
    expect(x('commit 1')).toBe(x('develop 1'));
    const back = lines.find(({ from }) => from === 'merge');
    expect(channelOf(back?.path ?? '')).toBeLessThan(x('develop 1') - NODE.width / 2);
  });

  it('goes back from the right on the right, past what stands beside it', () => {
    const { nodes, edges: lines } = layOut({
      nodes: ['judge', 'done', 'improve'],
      edges: edges('judge>done judge>improve improve>judge'),
    });
    const improve = nodes.find(({ id }) => id === 'improve');
    const back = lines.find(({ from }) => from === 'improve');
    expect(channelOf(back?.path ?? '')).toBeGreaterThan((improve?.x ?? 0) + NODE.width);
    expect(back?.tip.angle).toBe(180);
  });

  it.each([
    [{ nodes: [], edges: [] }],
    [{ nodes: ['work'], edges: [{ from: 'work', to: 'nowhere' }] }],
  ])('survives %j', (pipeline) => expect(layOut(pipeline).edges).toEqual([]));
});
