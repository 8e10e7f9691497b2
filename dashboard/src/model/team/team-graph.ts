// The agents of a team as a graph: who can hand to whom, and how often it was done.

import type { Pipeline } from '@/model/run/pipeline';
import { type TeamEdge, type TeamLevel, unique } from './roster';
import type { TeamView } from './team-view';

export type TeamGraph = Pick<Pipeline, 'nodes' | 'edges'> & {
  /** How often each edge was taken, by `edgeKey`. */
  taken: ReadonlyMap<string, number>;
};

export const edgeKey = ({ from, to }: TeamEdge) => `${from}\n${to}`;

/** The graph of one team. Nodes in the order of the file, after those that lead to them. */
export function teamGraph(level: TeamLevel, view: TeamView): TeamGraph {
  const names = level.members.map(({ name }) => name);
  const known = new Set(names);
  const moved = movesIn(view).filter(({ from, to }) => known.has(from) && known.has(to));
  const taken = new Map<string, number>();
  for (const move of moved) taken.set(edgeKey(move), (taken.get(edgeKey(move)) ?? 0) + 1);
  const edges = unique([...level.edges, ...moved]).filter(({ from, to }) => from !== to);
  return { nodes: inOrder(names, edges), edges, taken };
}

function movesIn({ handoffs, delegations, forks, proposals, agents }: TeamView): TeamEdge[] {
  const merged = forks.flatMap(({ agents: parts, coordinator }) => {
    const hasMerged = coordinator !== null && (agents.get(coordinator)?.turns ?? 0) > 0;
    return hasMerged ? parts.map((from) => ({ from, to: coordinator })) : [];
  });
  const asked = proposals.flatMap(({ by, votes }) =>
    votes.map((vote) => ({ from: by, to: vote.by })),
  );
  return [...handoffs, ...delegations, ...asked, ...merged];
}

/** A centre stands above those around it, and the end of a line below. */
function inOrder(names: readonly string[], edges: readonly TeamEdge[]): string[] {
  const left = [...names];
  const placed: string[] = [];
  const isPlaced = (name: string) => !left.includes(name);
  while (left.length > 0) {
    const free = left.findIndex((name) =>
      edges.every(({ from, to }) => to !== name || from === name || isPlaced(from)),
    );
    // In a circle, the first of the file begins.
    const [next] = left.splice(Math.max(free, 0), 1);
    if (next !== undefined) placed.push(next);
  }
  return placed;
}
