import { edgeName, type Pipeline } from '@/model/run/pipeline';
import type { RunState } from '@/model/run/run-state';
import type { StageOutcome } from '@/model/run/stage-outcome';
import FlowGraph from '@/ui/flow-graph';
import { StageChip } from './stage-chip';
import { stageState } from './stage-state';

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

export default function PipelineGraph(props: GraphProps) {
  const { pipeline, taken, canBreak, onShow, onBreak } = props;
  return (
    <FlowGraph
      graph={pipeline}
      taken={(from, to) => taken.get(edgeName(from, to)) ?? 0}
      node={(id) => (
        <StageChip
          node={id}
          state={stageState(id, props)}
          canBreak={canBreak}
          onShow={() => onShow(id)}
          onBreak={() => onBreak(id)}
          className="size-full"
        />
      )}
    />
  );
}
