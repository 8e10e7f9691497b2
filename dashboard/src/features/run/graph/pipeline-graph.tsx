import '@xyflow/react/dist/style.css';
import './pipeline-graph.css';
import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { useMemo } from 'react';
import { edgeName, type Pipeline } from '@/model/run/pipeline';
import type { RunState } from '@/model/run/run-state';
import type { StageOutcome } from '@/model/run/stage-outcome';
import { type EdgeLine, layOut, NODE } from './layout';
import { StageChip } from './stage-chip';
import { type StageState, stageState } from './stage-state';

export type GraphProps = {
  pipeline: Pipeline;
  runState: RunState;
  taken: ReadonlyMap<string, number>;
  outcomes: ReadonlyMap<string, StageOutcome>;
  /** Who works in which stage. */
  agents: ReadonlyMap<string, string>;
  breakpoints: readonly string[];
  canBreak: boolean;
  onShow: (node: string) => void;
  onBreak: (node: string) => void;
};

type StageData = {
  state: StageState;
  canBreak: boolean;
  onShow: (node: string) => void;
  onBreak: (node: string) => void;
};
type StageNode = Node<StageData, 'stage'>;
type PathEdge = Edge<{ line: EdgeLine; count: number }, 'way'>;

const nodeTypes = { stage: Stage };
const edgeTypes = { way: Way };
const view = { padding: 0.06 };

export default function PipelineGraph(props: GraphProps) {
  const { pipeline, taken, canBreak, onShow, onBreak } = props;
  const layout = useMemo(() => layOut(pipeline), [pipeline]);
  const nodes = layout.nodes.map(
    ({ id, x, y }): StageNode => ({
      id,
      type: 'stage',
      position: { x, y },
      width: NODE.width,
      height: NODE.height,
      data: { state: stageState(id, props), canBreak, onShow, onBreak },
    }),
  );
  const edges = layout.edges.map((line): PathEdge => {
    const { from, to } = line;
    const count = taken.get(edgeName(from, to)) ?? 0;
    return {
      id: edgeName(from, to),
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
      onInit={(flow) => void flow.fitBounds(layout.box, view)}
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
    />
  );
}

function Stage({ id, data }: NodeProps<StageNode>) {
  return (
    <>
      <Handle type="target" position={Position.Top} className="invisible" isConnectable={false} />
      <StageChip
        node={id}
        state={data.state}
        canBreak={data.canBreak}
        onShow={() => data.onShow(id)}
        onBreak={() => data.onBreak(id)}
        className="nopan pointer-events-auto size-full"
      />
      <Handle
        type="source"
        position={Position.Bottom}
        className="invisible"
        isConnectable={false}
      />
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
