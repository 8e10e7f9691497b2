import dagre from '@dagrejs/dagre';
import type { Pipeline } from '@/model/run/pipeline';

export const NODE = { width: 116, height: 32 };

export type Point = { x: number; y: number };
export type Layout = {
  nodes: { id: string; x: number; y: number }[];
  edges: { from: string; to: string; points: Point[] }[];
  /** Around everything, lines included. */
  box: { x: number; y: number; width: number; height: number };
};

/** Where everything stands, from top to bottom. */
export function layOut(pipeline: Pipeline): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', ranksep: 30, nodesep: 18, edgesep: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of pipeline.nodes) graph.setNode(node, { ...NODE });
  const edges = pipeline.edges.filter(({ from, to }) => from !== to);
  const place = new Map(pipeline.nodes.map((node, index) => [node, index]));
  for (const { from, to } of edges) {
    const isNext = (place.get(to) ?? 0) - (place.get(from) ?? 0) === 1;
    graph.setEdge(from, to, { weight: isNext ? 8 : 1 });
  }
  dagre.layout(graph);
  const nodes = pipeline.nodes.map((id) => {
    const { x, y } = graph.node(id);
    return { id, x: x - NODE.width / 2, y: y - NODE.height / 2 };
  });
  const lines = edges.map(({ from, to }) => ({ from, to, points: graph.edge(from, to).points }));
  const corners = nodes.flatMap(({ x, y }) => [
    { x, y },
    { x: x + NODE.width, y: y + NODE.height },
  ]);
  return {
    nodes,
    edges: lines,
    box: around([...corners, ...lines.flatMap((line) => line.points)]),
  };
}

function around(points: Point[]): Layout['box'] {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** A soft line through the points. */
export function pathThrough(points: Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const parts = [`M${first.x},${first.y}`];
  for (let index = 0; index < rest.length - 1; index += 1) {
    const here = rest[index];
    const next = rest[index + 1];
    if (!here || !next) continue;
    const isEnd = index === rest.length - 2;
    const x = isEnd ? next.x : (here.x + next.x) / 2;
    const y = isEnd ? next.y : (here.y + next.y) / 2;
    parts.push(`Q${here.x},${here.y} ${x},${y}`);
  }
  if (rest.length === 1) parts.push(`L${last.x},${last.y}`);
  return parts.join(' ');
}
