import { List, PanelLeftClose, PanelLeftOpen, Waypoints } from 'lucide-react';
import { lazy, memo, Suspense, useState } from 'react';
import { isBoolean, remember, remembered } from '@/lib/storage';
import { AgentLegend } from '@/ui/agent-legend';
import { IconButton } from '@/ui/icon-button';
import { Skeleton } from '@/ui/skeleton';
import type { GraphProps } from './pipeline-graph';
import { StageList } from './stage-list';

// The picture is one more thing to fetch; a server that has just gone must not take the page along.
const PipelineGraph = lazy(() =>
  import('./pipeline-graph').catch(() => ({ default: PlainStages })),
);

function PlainStages(props: GraphProps) {
  return <StageList direction="column" {...props} />;
}

type GraphPaneProps = GraphProps & {
  /** Changes when something is drawn differently. */
  look: string;
};

/** The pipeline at the left of the page; folds away, and can be a plain list. */
export const GraphPane = memo(
  function GraphPane({ look: _, ...props }: GraphPaneProps) {
    const [isOpen, setOpen] = useState(() => remembered('run.graph-open', isBoolean, true));
    const [isList, setList] = useState(() => remembered('run.graph-list', isBoolean, false));
    const keep = (name: string, set: (value: boolean) => void) => (value: boolean) => {
      set(value);
      remember(name, value);
    };
    const show = keep('run.graph-open', setOpen);
    const list = keep('run.graph-list', setList);
    if (!isOpen) {
      return (
        <div className="flex w-10 shrink-0 flex-col items-center border-r border-line pt-1.5">
          <IconButton
            aria-label="Show pipeline"
            tooltipSide="right"
            size="sm"
            icon={<PanelLeftOpen />}
            onClick={() => show(true)}
          />
        </div>
      );
    }
    return (
      <section
        aria-label="Pipeline"
        className="flex w-58 shrink-0 flex-col overflow-hidden border-r border-line"
      >
        <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
          <h2 className="flex-1 text-xs font-medium text-muted">Pipeline</h2>
          <IconButton
            aria-label={isList ? 'Show as graph' : 'Show as list'}
            size="sm"
            icon={isList ? <Waypoints /> : <List />}
            onClick={() => list(!isList)}
          />
          <IconButton
            aria-label="Hide pipeline"
            size="sm"
            icon={<PanelLeftClose />}
            onClick={() => show(false)}
          />
        </div>
        <div className="relative min-h-0 flex-1 overflow-y-auto">
          {isList ? (
            <StageList direction="column" {...props} />
          ) : (
            <Suspense fallback={<Skeleton className="m-6 h-80" />}>
              <PipelineGraph {...props} />
            </Suspense>
          )}
        </div>
        <AgentLegend
          label="Agents of the pipeline"
          agents={[...props.agents.values()]}
          className="grid shrink-0 grid-cols-2 border-t border-line px-4 py-2.5"
        />
      </section>
    );
  },
  (a, b) => a.look === b.look && a.pipeline === b.pipeline,
);
