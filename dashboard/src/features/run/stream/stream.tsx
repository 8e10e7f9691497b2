import {
  memo,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useShortcut } from '@/lib/use-shortcut';
import type { RunLog } from '@/model/run/run-log';
import { HEADER, keyOf, type Row, Rows } from '@/model/stream/rows';
import type { VirtualListHandle } from '@/ui/virtual-list';
import { isNear } from '../log-loading';
import { StreamFilter } from './stream-filter';
import { StreamRows } from './stream-rows';
import { useStreamFilter } from './use-stream-filter';
import { useTargetSeq } from './use-target-seq';

export type StreamHandle = { showNode: (node: string) => void };

type StreamProps = {
  log: RunLog;
  /** Changes with the log, a few times a second: the rows listen for themselves. */
  version: number;
  /** The end of the log as the server knows it, to say how far the reading is. */
  end: number;
  at: number | null;
  /** An agent is at work. */
  isMoving: boolean;
  hasFilter: boolean;
  ref: React.Ref<StreamHandle>;
};

export const Stream = memo(function Stream(props: StreamProps) {
  const { log, end, at, isMoving, hasFilter, ref } = props;
  const list = useRef<VirtualListHandle>(null);
  const inputId = useId();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { filter, text, setText, setShown } = useStreamFilter();
  const rows = useMemo(() => new Rows(log, filter, folded), [log, filter, folded]);
  if (isNear(log, end)) rows.update();
  // As of then: what came later is not there.
  const target = at === null ? null : rows.indexOf(at);

  const toggle = useCallback((row: Row) => {
    const put = row.item === HEADER ? setFolded : setOpened;
    put((set) => flipped(set, keyOf(row)));
  }, []);
  const foldAll = useCallback(
    () => setFolded((set) => (set.size > 0 ? new Set() : new Set(visitsIn(log)))),
    [log],
  );
  const follow = useCallback(() => list.current?.follow(true), []);
  const agentCount = rows.agents.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: agents are only added.
  const agents = useMemo(() => [...rows.agents], [rows, agentCount]);

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

  const wanted = useTargetSeq((seq) => {
    if (log.lastSeq < seq || !isNear(log, end)) return false;
    const index = rows.indexOf(seq);
    const row = rows.list[index];
    if (!row) return false;
    list.current?.scrollToIndex(index, 'center');
    if (row.item !== HEADER) setOpened((set) => new Set(set).add(keyOf(row)));
    return true;
  });

  const group = 'Stream';
  useShortcut({ keys: 'j', label: 'Next row', group, repeats: true }, () =>
    list.current?.moveFocus(1),
  );
  useShortcut({ keys: 'k', label: 'Previous row', group, repeats: true }, () =>
    list.current?.moveFocus(-1),
  );
  useShortcut({ keys: 'f', label: 'Follow new events', group }, follow);
  useShortcut({ keys: '/', label: 'Search the stream', group }, () =>
    document.getElementById(inputId)?.focus(),
  );
  useShortcut({ keys: 'enter', label: 'Expand or collapse the row', group }, () => {
    document.activeElement?.querySelector<HTMLElement>('[data-fold]')?.click();
  });

  return (
    <div className="flex h-full min-h-0 flex-col">
      {hasFilter && (
        <StreamFilter
          filter={filter}
          text={text}
          inputId={inputId}
          agents={agents}
          isAllFolded={folded.size > 0}
          onText={setText}
          onChange={setShown}
          onFoldAll={foldAll}
          onFollow={follow}
        />
      )}
      <StreamRows
        ref={list}
        log={log}
        rows={rows}
        end={end}
        at={at}
        isMoving={isMoving}
        wanted={wanted}
        isSearched={filter.text !== ''}
        opened={opened}
        folded={folded}
        onToggle={toggle}
      />
    </div>
  );
});

const visitsIn = (log: RunLog) =>
  log.transcript.sections.flatMap((section, place) =>
    section.kind === 'visit' ? [keyOf({ section: place, item: HEADER })] : [],
  );

function flipped(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
