import { useMemo } from 'react';
import { useBreakpoints } from '@/api/actions';
import { useGraph } from '@/api/runs';
import { edgesTaken, readPipeline } from '@/model/run/pipeline';
import type { RunLog } from '@/model/run/run-log';
import type { RunState } from '@/model/run/run-state';
import { stageAgents } from '@/model/run/stage-agents';
import { stageOutcomes } from '@/model/run/stage-outcome';
import type { RunDetail } from '@/wire/RunDetail';

type StagesOptions = {
  detail: RunDetail;
  log: RunLog;
  runState: RunState;
  /** The moment that is shown; `null` is now. */
  at: number | null;
  canBreak: boolean;
  onShow: (node: string) => void;
};

/** The pipeline of a run as its graph and its list of stages show it; `null` until the server has sent it. */
export function useStages({ detail, log, runState, at, canBreak, onShow }: StagesOptions) {
  const { id, breakpoints } = detail;
  const graph = useGraph(id);
  const saveBreakpoints = useBreakpoints();
  const drawing = graph.data?.graph;
  const pipeline = useMemo(() => (drawing ? readPipeline(drawing) : null), [drawing]);
  const visitCount = log.transcript.visits.size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: visits are only added.
  const taken = useMemo(
    () => (pipeline ? edgesTaken(pipeline, log.transcript.sections, at ?? undefined) : new Map()),
    [pipeline, log, visitCount, at],
  );
  const { sections } = log.transcript;
  const isOver = ['done', 'failed', 'cancelled'].includes(runState.tone);
  const outcomes = stageOutcomes(sections, isOver, at ?? undefined);
  const agents = pipeline ? stageAgents(pipeline, sections) : new Map<string, string>();
  const onBreak = (node: string) => {
    const nodes = breakpoints.includes(node)
      ? breakpoints.filter((one) => one !== node)
      : [...breakpoints, node];
    saveBreakpoints.mutate({ run: id, nodes });
  };
  const stages = { runState, taken, outcomes, agents, breakpoints };
  return pipeline && { pipeline, ...stages, canBreak, onShow, onBreak };
}

/** Changes when the graph would be drawn differently. */
export function lookOf(stages: NonNullable<ReturnType<typeof useStages>>): string {
  const { runState, taken, outcomes, agents, breakpoints, canBreak } = stages;
  const { tone, nodes, visits } = runState;
  return `${tone} ${nodes} ${[...visits]} ${[...taken]} ${[...outcomes]} ${[...agents]} ${breakpoints} ${canBreak}`;
}
