import type { ComponentProps, ReactNode } from 'react';
import { useMedia } from '@/lib/use-media';
import { AgentLegend } from '@/ui/agent-legend';
import { SplitPane } from '@/ui/split-pane';
import { GraphPane } from './graph/graph-pane';
import { StageList } from './graph/stage-list';
import { lookOf, type useStages } from './graph/use-stages';
import { TabPane } from './tab-pane';

type RunBodyProps = {
  stages: ReturnType<typeof useStages>;
  stream: ReactNode;
  tabs: Omit<ComponentProps<typeof TabPane>, 'narrow'>;
  /** On a narrow screen: the facts about the run, and what stands beside the tabs. */
  narrow: { facts: ReactNode; actions: ReactNode } | null;
};

/** Pipeline, stream and tabs: side by side as far as there is room. On narrow screens all are tabs. */
export function RunBody({ stages, stream, tabs, narrow }: RunBodyProps) {
  const isWide = useMedia('(min-width: 1280px)');
  if (narrow) {
    const pipeline = (
      <>
        {narrow.facts}
        {stages && <StageList direction="column" {...stages} />}
        {stages && (
          <AgentLegend
            label="Agents of the pipeline"
            agents={[...stages.agents.values()]}
            className="grid shrink-0 grid-cols-2 border-t border-line px-4 py-2.5"
          />
        )}
      </>
    );
    return (
      <div className="min-h-0 min-w-0 flex-1">
        <TabPane {...tabs} narrow={{ stream, pipeline, actions: narrow.actions }} />
      </div>
    );
  }
  return (
    <>
      {!isWide && stages && <StageList direction="row" {...stages} />}
      <div className="flex min-h-0 flex-1">
        {isWide && stages && <GraphPane look={lookOf(stages)} {...stages} />}
        <SplitPane
          name="run.tabs"
          label="Width of the tabs"
          sized="end"
          defaultSize={560}
          min={320}
          max={900}
          className="min-w-0 flex-1"
          first={stream}
          second={<TabPane {...tabs} narrow={null} />}
        />
      </div>
    </>
  );
}
