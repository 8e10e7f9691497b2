import type { ComponentProps, ReactNode } from 'react';
import { useMedia } from '@/lib/use-media';
import { SplitPane } from '@/ui/split-pane';
import { GraphPane } from './graph/graph-pane';
import { StageList } from './graph/stage-list';
import { lookOf, type useStages } from './graph/use-stages';
import { TabPane } from './tab-pane';

type RunBodyProps = {
  stages: ReturnType<typeof useStages>;
  stream: ReactNode;
  tabs: Omit<ComponentProps<typeof TabPane>, 'stream'>;
  isNarrow: boolean;
};

/** Pipeline, stream and tabs: side by side as far as there is room. On narrow screens the stream is a tab. */
export function RunBody({ stages, stream, tabs, isNarrow }: RunBodyProps) {
  const isWide = useMedia('(min-width: 1280px)');
  const tabPane = <TabPane {...tabs} stream={isNarrow ? stream : null} />;
  return (
    <>
      {!isWide && stages && <StageList direction="row" {...stages} />}
      <div className="flex min-h-0 flex-1">
        {isWide && stages && <GraphPane look={lookOf(stages)} {...stages} />}
        {isNarrow ? (
          <div className="min-h-0 min-w-0 flex-1">{tabPane}</div>
        ) : (
          <SplitPane
            name="run.tabs"
            label="Width of the tabs"
            sized="end"
            defaultSize={560}
            min={320}
            max={900}
            className="min-w-0 flex-1"
            first={stream}
            second={tabPane}
          />
        )}
      </div>
    </>
  );
}
