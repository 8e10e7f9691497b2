import { ChartGantt, ListTree, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isBoolean, isString, remember, remembered } from '@/lib/storage';
import { traceOf } from '@/model/trace/trace';
import { EmptyState } from '@/ui/empty-state';
import { SegmentedControl } from '@/ui/segmented-control';
import { Switch } from '@/ui/switch';
import EventsTab from '../events/events-tab';
import type { TabProps } from '../tab';
import { useSearch } from '../use-search';
import { useSlowLog } from '../use-slow-log';
import { Timeline } from './timeline';
import { Tree } from './tree';

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
  const seek = (seq: number) => put({ at: seq >= log.lastSeq ? '' : String(seq) });
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-11 shrink-0 items-center gap-3 border-b border-line px-3">
        <SegmentedControl
          label="Zoom"
          value={zoom}
          segments={zooms}
          onChange={(value) => {
            remember('run.zoom', value);
            put({ zoom: value });
          }}
        />
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
          <Timeline root={root} onSeek={seek} />
        ) : (
          <Tree root={root} onSeek={seek} />
        )}
      </div>
    </div>
  );
}
