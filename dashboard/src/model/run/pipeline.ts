// The graph of a pipeline as it is drawn, and the way that a run took through it.

import type { Section } from '@/model/stream/transcript';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type Pipeline = {
  nodes: string[];
  edges: { from: string; to: string }[];
  /** What kind of work a node does; only graphs from files say so. */
  kinds: ReadonlyMap<string, string>;
  /** Edges that are taken under a condition, those to the end included. */
  choices: { from: string; to: string; label: string }[];
};

const START = '__start__';
const END = '__end__';

/** Nodes in the order in which a run comes to them, without the marks of its beginning and end. */
export function readPipeline(graph: JsonValue): Pipeline {
  const all = listOf(fieldOf(graph, 'edges')).flatMap((edge) => {
    const from = fieldOf(edge, 'from');
    const to = fieldOf(edge, 'to');
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    const label = fieldOf(edge, 'label');
    return [{ from, to, label: typeof label === 'string' ? label : null }];
  });
  const names = listOf(fieldOf(graph, 'nodes')).filter((name) => typeof name === 'string');
  const nodes = inOrder(names, all);
  const isDrawn = (name: string) => name !== START && name !== END;
  return {
    nodes: nodes.filter(isDrawn),
    edges: all.flatMap(({ from, to }) => (isDrawn(from) && isDrawn(to) ? [{ from, to }] : [])),
    choices: all.flatMap(({ from, to, label }) =>
      label === null ? [] : [{ from, to: to === END ? 'end' : to, label }],
    ),
    kinds: new Map(
      names.flatMap((name) => {
        const kind = fieldOf(fieldOf(graph, 'kinds'), name);
        return typeof kind === 'string' ? [[name, kind] as const] : [];
      }),
    ),
  };
}

/** How often each edge was taken up to `seq`, by `from→to`. */
export function edgesTaken(
  pipeline: Pipeline,
  sections: readonly Section[],
  seq = Number.POSITIVE_INFINITY,
): Map<string, number> {
  const known = new Set(pipeline.edges.map(({ from, to }) => edgeName(from, to)));
  const taken = new Map<string, number>();
  let before: string | null = null;
  for (const section of sections) {
    if (section.kind !== 'visit') continue;
    if (section.fromSeq > seq) break;
    const name = before === null ? null : edgeName(before, section.node);
    if (name !== null && known.has(name)) taken.set(name, (taken.get(name) ?? 0) + 1);
    before = section.node;
  }
  return taken;
}

export const edgeName = (from: string, to: string) => `${from}→${to}`;

/** By depth first from the start; what goes back comes last, so that a line runs down the page. */
function inOrder(names: string[], edges: { from: string; to: string }[]): string[] {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (name: string) => {
    if (state.has(name)) return;
    state.set(name, 'open');
    for (const { to } of edges.filter(({ from }) => from === name)) visit(to);
    state.set(name, 'done');
    order.unshift(name);
  };
  visit(START);
  for (const name of names) visit(name);
  return order;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value[name];
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
