import { memo, type Ref } from 'react';
import { useRunLog } from '@/api/run-log';
import type { LivePiece, RunLog } from '@/model/run/run-log';
import { HEADER, keyOf, type Row, type Rows } from '@/model/stream/rows';
import { EmptyState } from '@/ui/empty-state';
import { VirtualList, type VirtualListHandle } from '@/ui/virtual-list';
import { isNear, LogLoading } from '../log-loading';
import { LiveRow } from './live-row';
import { RowView } from './row-view';

type StreamRowsProps = {
  log: RunLog;
  rows: Rows;
  end: number;
  at: number | null;
  isMoving: boolean;
  /** The event that the address names; 0 is none. */
  wanted: number;
  isSearched: boolean;
  opened: ReadonlySet<string>;
  folded: ReadonlySet<string>;
  onToggle: (row: Row) => void;
  ref: Ref<VirtualListHandle>;
};

/** The rows of the stream: the only thing on the page that is drawn as often as events arrive. */
export const StreamRows = memo(function StreamRows(props: StreamRowsProps) {
  const { log, rows, end, at, isMoving, opened, folded, onToggle } = props;
  useRunLog(log.run);
  if (!isNear(log, end)) return <LogLoading read={log.lastSeq} end={end} />;
  rows.update();
  const live = at === null ? [...log.live] : [];
  const count = at === null ? rows.list.length + live.length : rows.indexOf(at) + 1;
  if (count === 0) {
    return (
      <EmptyState title="Nothing to show">
        {props.isSearched ? 'No row matches the filter.' : 'The run has no events yet.'}
      </EmptyState>
    );
  }
  const pieceAt = (index: number) => live[index - rows.list.length];
  return (
    <VirtualList
      ref={props.ref}
      label="What happened"
      className="min-h-0 flex-1"
      count={count}
      itemKey={(index) =>
        index < rows.list.length ? rows.keyAt(index) : `live:${pieceAt(index)?.[0]}`
      }
      estimateSize={(index) => heightOf(rows, index)}
      endSpace={16}
      overscan={3}
      stickToBottom={at === null}
      latestLabel="Jump to now"
      renderItem={(index) => {
        const row = rows.list[index];
        if (!row) return <Live piece={pieceAt(index)?.[1]} />;
        const key = keyOf(row);
        return (
          <RowView
            log={log}
            rows={rows}
            at={at}
            row={row}
            before={rows.list[index - 1]}
            isOpen={opened.has(key)}
            isFolded={folded.has(key)}
            isWanted={props.wanted > 0 && rows.seqOf(row) === props.wanted}
            isMoving={isMoving && at === null}
            onToggle={onToggle}
          />
        );
      }}
    />
  );
});

function Live({ piece }: { piece: LivePiece | undefined }) {
  if (!piece) return null;
  return (
    <div className="pr-3 pl-11">
      <LiveRow piece={piece} />
    </div>
  );
}

/** As high as rows of this kind are as a rule: what is guessed right is laid out once. */
function heightOf(rows: Rows, index: number): number {
  const row = rows.list[index];
  if (row?.item === HEADER) return 52;
  const kind = row && rows.itemOf(row)?.kind;
  return kind === 'text' ? 46 : kind === 'note' ? 32 : 28;
}
