import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRunLog } from '@/api/run-log';
import { useRun } from '@/api/runs';
import { EventList } from '@/model/event/event-list';
import { EmptyState } from '@/ui/empty-state';
import { VirtualList, type VirtualListHandle } from '@/ui/virtual-list';
import { isNear, LogLoading } from '../log-loading';
import type { TabProps } from '../tab';
import { useSearch } from '../use-search';
import { EventFilters } from './event-filters';
import { columns, EventRow, wideOnly } from './event-row';
import { useEventFilter } from './use-event-filter';

/** The raw log. */
export default function EventsTab({ id, at }: TabProps) {
  const { log } = useRunLog(id);
  const end = useRun(id).data?.sequence ?? 0;
  const isRead = isNear(log, end);
  const [search, put] = useSearch();
  const scroller = useRef<VirtualListHandle>(null);
  const { filter, text, setText, change } = useEventFilter();
  const list = useMemo(() => new EventList(log, filter), [log, filter]);
  if (isRead) list.update();
  const wanted = Number(search.get('seq') ?? 0);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set(wanted > 0 ? [wanted] : []));
  const isHere = isRead && wanted > 0 && log.lastSeq >= wanted;

  // The address names an event: once, when it has come, it is shown.
  const first = useRef(wanted);
  useEffect(() => {
    if (!isHere || first.current === 0) return;
    const index = list.indexOf(first.current);
    first.current = 0;
    if (index >= 0) scroller.current?.scrollToIndex(index, 'center');
  }, [isHere, list]);
  const target = at === null ? null : list.indexOf(at);
  useEffect(() => {
    if (target !== null) scroller.current?.scrollToIndex(Math.max(0, target), 'end');
  }, [target]);

  const known = useRef(opened);
  known.current = opened;
  const toggle = useCallback(
    (seq: number) => {
      const next = new Set(known.current);
      const isOpened = !next.delete(seq);
      if (isOpened) next.add(seq);
      setOpened(next);
      put({ seq: isOpened ? String(seq) : '' });
    },
    [put],
  );
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <EventFilters
        list={list}
        filter={filter}
        text={text}
        onText={setText}
        onChange={change}
        onDownload={() => download(`${id}.jsonl`, [...list.lines()])}
      />
      <div
        aria-hidden
        className={`${columns} h-6 shrink-0 border-b border-line text-2xs text-subtle`}
      >
        <span className="text-right">#</span>
        <span className={wideOnly}>Time</span>
        <span>Agent</span>
        <span className={wideOnly}>Name</span>
        <span>What happened</span>
      </div>
      {!isRead ? (
        <LogLoading read={log.lastSeq} end={end} />
      ) : list.places.length === 0 ? (
        <EmptyState title="No events">
          {log.lastSeq === 0 ? 'Loading the log…' : 'No matching events.'}
        </EmptyState>
      ) : (
        <VirtualList
          ref={scroller}
          label="Events"
          className="min-h-0 flex-1"
          count={target === null ? list.places.length : target + 1}
          itemKey={(index) => list.at(index)?.seq ?? index}
          estimateSize={estimate}
          overscan={4}
          stickToBottom={at === null}
          latestLabel="Jump to now"
          renderItem={(index) => {
            const event = list.at(index);
            return (
              event && <EventRow event={event} isOpen={opened.has(event.seq)} onToggle={toggle} />
            );
          }}
        />
      )}
    </div>
  );
}

const estimate = () => 29;

function download(name: string, lines: string[]): void {
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
