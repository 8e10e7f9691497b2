import { memo, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { useShortcut } from '@/lib/use-shortcut';
import { HEADER, keyOf, Rows } from '@/model/rows';
import type { RunLog } from '@/model/run-log';
import { EmptyState } from '@/ui/empty-state';
import { VirtualList, type VirtualListHandle } from '@/ui/virtual-list';
import { LiveRow } from './live-row';
import { RowView } from './row-view';
import { StreamFilter } from './stream-filter';
import { StreamLoading } from './stream-loading';
import { useStreamFilter } from './use-stream-filter';

export type StreamHandle = { showNode: (node: string) => void };

type StreamProps = {
  log: RunLog;
  /** Changes with the log. */
  version: number;
  /** The end of the log as the server knows it, to say how far the reading is. */
  end: number;
  at: number | null;
  /** Somebody is at work. */
  isMoving: boolean;
  ref: React.Ref<StreamHandle>;
};

export const Stream = memo(function Stream({ log, end, at, isMoving, ref }: StreamProps) {
  const list = useRef<VirtualListHandle>(null);
  const inputId = useId();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { filter, text, setText, setShown } = useStreamFilter();
  // Rows that rush by are no help, and drawing them would slow down the reading.
  const isFarBehind = end - log.lastSeq > FAR;
  const rows = useMemo(() => new Rows(log, filter, folded), [log, filter, folded]);
  if (!isFarBehind) rows.update();
  const live = at === null ? [...log.live.values()] : [];
  // As of then: what came later is not there.
  const target = at === null ? null : rows.indexOf(at);
  const count = target === null ? rows.list.length + live.length : target + 1;

  const flip = (set: ReadonlySet<string>, key: string) => {
    const next = new Set(set);
    if (!next.delete(key)) next.add(key);
    return next;
  };
  const visits = () =>
    log.story.sections.flatMap((section, place) =>
      section.kind === 'visit' ? [keyOf({ section: place, item: HEADER })] : [],
    );
  const isAllFolded = folded.size > 0;

  useImperativeHandle(ref, () => ({
    showNode: (node) => {
      const index = rows.lastVisit(node, at ?? undefined);
      if (index < 0) return;
      list.current?.scrollToIndex(index, 'start');
      list.current?.focusIndex(index);
    },
  }));
  useEffect(() => {
    if (target === null) list.current?.follow(true);
    else list.current?.scrollToIndex(Math.max(0, target), 'end');
  }, [target]);

  const group = 'Stream';
  useShortcut({ keys: 'j', label: 'Next row', group }, () => list.current?.moveFocus(1));
  useShortcut({ keys: 'k', label: 'Previous row', group }, () => list.current?.moveFocus(-1));
  useShortcut({ keys: 'f', label: 'Follow what is new', group }, () => list.current?.follow(true));
  useShortcut({ keys: '/', label: 'Search in the stream', group }, () =>
    document.getElementById(inputId)?.focus(),
  );
  useShortcut({ keys: 'enter', label: 'Fold or unfold the row', group }, () => {
    document.activeElement?.querySelector<HTMLElement>('[data-fold]')?.click();
  });

  return (
    <div className="flex h-full min-h-0 flex-col">
      <StreamFilter
        filter={filter}
        text={text}
        inputId={inputId}
        agents={rows.agents}
        isAllFolded={isAllFolded}
        onText={setText}
        onChange={setShown}
        onFoldAll={() => setFolded(isAllFolded ? new Set() : new Set(visits()))}
        onFollow={() => list.current?.follow(true)}
      />
      {isFarBehind ? (
        <StreamLoading read={log.lastSeq} end={end} />
      ) : count === 0 ? (
        <EmptyState title="Nothing to see here">
          {filter.text === '' ? 'Nothing has happened yet.' : 'No row has these words.'}
        </EmptyState>
      ) : (
        <VirtualList
          ref={list}
          label="What happened"
          className="min-h-0 flex-1"
          count={count}
          itemKey={(index) =>
            index < rows.list.length
              ? rows.keyAt(index)
              : `live:${live[index - rows.list.length]?.agent}`
          }
          estimateSize={estimate}
          endSpace={16}
          overscan={6}
          stickToBottom={at === null}
          latestLabel="Jump to now"
          renderItem={(index) => {
            const row = rows.list[index];
            if (!row) {
              const piece = live[index - rows.list.length];
              return (
                piece && (
                  <div className="pr-3 pl-11">
                    <LiveRow piece={piece} />
                  </div>
                )
              );
            }
            const key = keyOf(row);
            return (
              <RowView
                rows={rows}
                row={row}
                before={rows.list[index - 1]}
                isOpen={opened.has(key)}
                isFolded={folded.has(key)}
                isMoving={isMoving && at === null}
                onToggle={() =>
                  row.item === HEADER
                    ? setFolded((set) => flip(set, key))
                    : setOpened((set) => flip(set, key))
                }
              />
            );
          }}
        />
      )}
    </div>
  );
});

const estimate = () => 30;

const FAR = 1_000;
