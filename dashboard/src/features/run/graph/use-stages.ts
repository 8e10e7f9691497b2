import { useMemo } from 'react';
import { useBreakpoints } from '@/api/actions';
import { useGraph } from '@/api/runs';
import { edgesTaken, readPipeline } from '@/model/run/pipeline';
import type { RunLog } from '@/model/run/run-log';
import type { Standing } from '@/model/run/standing';
import type { RunDetail } from '@/wire/RunDetail';

type StagesOptions = {
  detail: RunDetail;
  log: RunLog;
  standing: Standing;
  /** The moment that is shown; `null` is now. */
  at: number | null;
  canBreak: boolean;
  onShow: (node: string) => void;
};

/** The pipeline of a run as its graph and its list of stages show it; `null` until the server has sent it. */
export function useStages({ detail, log, standing, at, canBreak, onShow }: StagesOptions) {
  const { id, breakpoints } = detail;
  const graph = useGraph(id);
  const saveBreakpoints = useBreakpoints();
  const drawing = graph.data?.graph;
  const pipeline = useMemo(() => (drawing ? readPipeline(drawing) : null), [drawing]);
  const visitCount = log.story.visits.size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: visits are only added.
  const taken = useMemo(
    () => (pipeline ? edgesTaken(pipeline, log.story.sections, at ?? undefined) : new Map()),
    [pipeline, log, visitCount, at],
  );
  const onBreak = (node: string) => {
    const nodes = breakpoints.includes(node)
      ? breakpoints.filter((one) => one !== node)
      : [...breakpoints, node];
    saveBreakpoints.mutate({ run: id, nodes });
  };
  return pipeline && { pipeline, standing, taken, breakpoints, canBreak, onShow, onBreak };
}

/** Changes when the graph would be drawn differently. */
export function lookOf(stages: NonNullable<ReturnType<typeof useStages>>): string {
  const { standing, taken, breakpoints, canBreak } = stages;
  const { tone, nodes, visits } = standing;
  return `${tone} ${nodes} ${[...visits]} ${[...taken]} ${breakpoints} ${canBreak}`;
}
