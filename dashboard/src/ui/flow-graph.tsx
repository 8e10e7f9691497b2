import '@xyflow/react/dist/style.css';
import './flow-graph.css';
import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { type ReactNode, useEffect, useMemo } from 'react';
import { type Drawn, type EdgeLine, layOut, NODE } from '@/ui/graph-layout';

type FlowGraphProps = {
  graph: Drawn;
  /** What stands at a node. It fills the place of the node. */
  node: (id: string) => ReactNode;
  /** How often an edge was taken; such edges are emphasized. */
  taken?: (from: string, to: string) => number;
};

type PlaceNode = Node<{ content: ReactNode }, 'place'>;
type PathEdge = Edge<{ line: EdgeLine; count: number }, 'way'>;

const nodeTypes = { place: Place };
const edgeTypes = { way: Way };
const view = { padding: 0.06 };

/** A graph from top to bottom. */
export default function FlowGraph({ graph, node, taken }: FlowGraphProps) {
  const layout = useMemo(() => layOut(graph), [graph]);
  const nodes = layout.nodes.map(
    ({ id, x, y }): PlaceNode => ({
      id,
      type: 'place',
      position: { x, y },
      width: NODE.width,
      height: NODE.height,
      data: { content: node(id) },
    }),
  );
  const edges = layout.edges.map((line): PathEdge => {
    const { from, to } = line;
    const count = taken?.(from, to) ?? 0;
    return {
      id: `${from}→${to}`,
      source: from,
      target: to,
      type: 'way',
      zIndex: count > 0 ? 1 : 0,
      data: { line, count },
    };
  });
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      minZoom={0.3}
      maxZoom={1.1}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      zoomOnDoubleClick={false}
      preventScrolling={false}
    >
      <Fit box={layout.box} />
    </ReactFlow>
  );
}

/** Shows the whole graph, again when its place has another size: a banner above it may come later. */
function Fit({ box }: { box: Parameters<ReturnType<typeof useReactFlow>['fitBounds']>[0] }) {
  const { fitBounds } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (width > 0 && height > 0) void fitBounds(box, view);
  }, [fitBounds, box, width, height]);
  return null;
}

const hidden = { className: 'invisible', isConnectable: false };

function Place({ data }: NodeProps<PlaceNode>) {
  return (
    <>
      <Handle type="target" position={Position.Top} {...hidden} />
      <div className="nopan pointer-events-auto size-full">{data.content}</div>
      <Handle type="source" position={Position.Bottom} {...hidden} />
    </>
  );
}

function Way({ id, data }: EdgeProps<PathEdge>) {
  if (!data) return null;
  const { line, count } = data;
  const isTaken = count > 0;
  const colour = isTaken ? 'var(--accent)' : 'var(--line-strong)';
  const { x, y, angle } = line.tip;
  return (
    <>
      <BaseEdge
        id={id}
        path={line.path}
        interactionWidth={0}
        className="pointer-events-none!"
        style={{ stroke: colour, strokeWidth: isTaken ? 1.75 : 1.1 }}
      />
      <path
        d="M-5.5,-3.5 L0,0 L-5.5,3.5"
        fill="none"
        stroke={colour}
        strokeWidth={1.4}
        transform={`translate(${x},${y}) rotate(${angle})`}
      />
    </>
  );
}
