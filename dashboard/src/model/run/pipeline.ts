// The graph of a pipeline as it is drawn, and the way that a run took through it.

import type { Section } from '@/model/stream/transcript';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

/** At a join, a run waits for all of its edges. */
export type PipelineEdge = { from: string; to: string; isJoin?: boolean };

export type Pipeline = {
  nodes: string[];
  edges: PipelineEdge[];
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
    const isJoin = fieldOf(edge, 'kind') === 'join';
    return [{ from, to, isJoin, label: typeof label === 'string' ? label : null }];
  });
  const names = listOf(fieldOf(graph, 'nodes')).filter((name) => typeof name === 'string');
  const nodes = inOrder(names, all);
  const isDrawn = (name: string) => name !== START && name !== END;
  return {
    nodes: nodes.filter(isDrawn),
    edges: all.flatMap(({ from, to, isJoin }) =>
      isDrawn(from) && isDrawn(to) ? [{ from, to, ...(isJoin ? { isJoin } : {}) }] : [],
    ),
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
  const taken = new Map<string, number>();
  const last = new Map<string, Visit>();
  for (const section of sections) {
    if (section.kind !== 'visit') continue;
    if (section.fromSeq > seq) break;
    for (const from of sourcesOf(section, last, pipeline.edges)) {
      const name = edgeName(from, section.node);
      taken.set(name, (taken.get(name) ?? 0) + 1);
    }
    last.set(section.node, section);
  }
  return taken;
}

type Visit = Extract<Section, { kind: 'visit' }>;

/** Where a run came from to a visit: from the node that ended last of those that lead there, as others may work beside
 * it; at a join, from all that have ended since the visit before. `last` are the last visits of all nodes. */
function sourcesOf(
  visit: Visit,
  last: ReadonlyMap<string, Visit>,
  edges: readonly PipelineEdge[],
): string[] {
  const since = last.get(visit.node)?.fromSeq ?? 0;
  const into = edges.filter(({ to }) => to === visit.node);
  const ended = into.flatMap(({ from, isJoin = false }) => {
    const at = last.get(from)?.toSeq ?? null;
    return at !== null && at >= since && at <= visit.fromSeq ? [{ from, isJoin, at }] : [];
  });
  const newest = ended.toSorted((a, b) => b.at - a.at)[0];
  if (newest === undefined) return [];
  return newest.isJoin ? ended.flatMap((one) => (one.isJoin ? [one.from] : [])) : [newest.from];
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
