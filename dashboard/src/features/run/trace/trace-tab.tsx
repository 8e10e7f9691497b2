import { ChartGantt, ListTree, ScrollText, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isBoolean, isString, remember, remembered } from '@/lib/storage';
import { traceOf } from '@/model/trace/trace';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { SegmentedControl } from '@/ui/segmented-control';
import { Switch } from '@/ui/switch';
import EventsTab from '../events/events-tab';
import type { TabProps } from '../tab';
import { useSearch } from '../use-search';
import { useSlowLog } from '../use-slow-log';
import { SessionSheet } from './session-sheet';
import { Timeline } from './timeline';
import { Tree } from './tree';
import { useOpenTrace } from './use-open-trace';

const zooms = [
  { value: 'timeline', label: 'Timeline', icon: <ChartGantt /> },
  { value: 'tree', label: 'Tree', icon: <ListTree /> },
  { value: 'events', label: 'Events', icon: <ScrollText /> },
] as const;
type Zoom = (typeof zooms)[number]['value'];

const zoomOf = (word: string | null): Zoom =>
  zooms.find(({ value }) => value === word)?.value ?? 'timeline';

/** Three zooms over one log. */
export default function TraceTab({ id, at }: TabProps) {
  const { log, version } = useSlowLog(id);
  const [search, put] = useSearch();
  const zoom = zoomOf(search.get('zoom') ?? remembered('run.zoom', isString, 'timeline'));
  const [isMerged, setMerged] = useState(() => remembered('run.trace-merged', isBoolean, false));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the log.
  const root = useMemo(
    () => traceOf(log, zoom === 'tree' && isMerged, at ?? undefined),
    [log, version, zoom, isMerged, at],
  );
  const trace = useOpenTrace(id, root, (session) => put({ session }));
  const isTree = zoom !== 'events';
  const seek = (seq: number) => put({ at: seq >= log.lastSeq ? '' : String(seq) });
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <SegmentedControl
          label="Zoom"
          value={zoom}
          segments={zooms}
          onChange={(value) => {
            remember('run.zoom', value);
            put({ zoom: value });
          }}
        />
        {isTree && root.errors > 0 && (
          <Button size="sm" variant="ghost" icon={<TriangleAlert />} onClick={trace.showFailure}>
            {root.errors} failed
          </Button>
        )}
        {zoom === 'tree' && (
          <Switch
            label="Group similar"
            checked={isMerged}
            className="ml-auto"
            onChange={(value) => {
              setMerged(value);
              remember('run.trace-merged', value);
            }}
          />
        )}
      </div>
      <div className="min-h-0 flex-1">
        {zoom === 'events' ? (
          <EventsTab id={id} at={at} />
        ) : root.start === 0 ? (
          <EmptyState title="No trace yet">
            Stages appear here when the run reaches them.
          </EmptyState>
        ) : zoom === 'timeline' ? (
          <Timeline root={root} trace={trace} onSeek={seek} />
        ) : (
          <Tree trace={trace} onSeek={seek} />
        )}
      </div>
      <SessionSheet
        log={log}
        version={version}
        at={at}
        session={search.get('session')}
        onOpen={(session) => put({ session })}
        onClose={() => put({ session: '' })}
      />
    </div>
  );
}
