import { memo } from 'react';
import { cn } from '@/lib/cn';
import type { RunLog } from '@/model/run/run-log';
import { isFinal } from '@/model/run/run-state';
import { HEADER, type Row, type Rows, usageAt } from '@/model/stream/rows';
import type { Item } from '@/model/stream/transcript';
import { visitSnapshot } from '@/model/stream/visit-snapshot';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import type { ToolResult } from '@/wire/log/ToolResult';
import type { Usage } from '@/wire/log/Usage';
import { ItemContent } from './item-content';
import { VisitRow } from './visit-row';

type RowViewProps = {
  log: RunLog;
  rows: Rows;
  /** The moment that is shown; `null` is now. */
  at: number | null;
  row: Row;
  /** The one above, which says whether another agent spoke before. */
  before: Row | undefined;
  isOpen: boolean;
  isFolded: boolean;
  isMoving: boolean;
  /** The address names it. */
  isWanted: boolean;
  /** The same for every row and at every drawing, so that a row that stays as it is costs nothing. */
  onToggle: (row: Row) => void;
};

/** One row of the stream: the head of a visit, or something in it. */
export function RowView(props: RowViewProps) {
  const { log, rows, at, row, before, isOpen, isFolded, isMoving, onToggle } = props;
  const section = rows.sectionOf(row);
  const visit = section?.kind === 'visit' ? section : null;
  if (visit && row.item === HEADER) {
    return (
      <div className="px-3">
        <VisitRow
          visit={visit}
          then={visitSnapshot(log, visit, at)}
          isFolded={isFolded}
          isLive={isMoving && visit.toSeq === null}
          onToggle={() => onToggle(row)}
        />
      </div>
    );
  }
  const item = rows.itemOf(row);
  if (!item) return null;
  // As of then: what came later is not there.
  const isThen = (seq: number | null) => seq !== null && (at === null || seq <= at);
  const result = item.kind === 'call' && isThen(item.endSeq) ? item.result : null;
  const isUnanswered = item.kind === 'call' && result === null;
  const hasEnded = isThen(visit?.toSeq ?? null) || (at === null && isFinal(log.view.status));
  return (
    <ItemRow
      row={row}
      item={item}
      result={result}
      usage={visit ? (usageAt(visit, row.item)?.usage ?? null) : null}
      isLost={isUnanswered && hasEnded}
      isRunning={isUnanswered && !hasEnded && isMoving}
      isNewSpeaker={isNewSpeaker(
        item,
        before?.section === row.section ? rows.itemOf(before) : undefined,
      )}
      isOpen={isOpen}
      isWanted={props.isWanted}
      onToggle={onToggle}
    />
  );
}

function isNewSpeaker(item: Item, before: Item | undefined): boolean {
  if (item.kind === 'note') return false;
  if (!before || before.kind === 'note') return true;
  return before.agent !== item.agent || before.session !== item.session;
}

type ItemRowProps = Pick<RowViewProps, 'row' | 'isOpen' | 'isWanted' | 'onToggle'> & {
  item: Item;
  /** Comes to a call that is drawn already: said by itself, because the item stays the same. */
  result: ToolResult | null;
  usage: Usage | null;
  isLost: boolean;
  isRunning: boolean;
  isNewSpeaker: boolean;
};

const ItemRow = memo(function ItemRow(props: ItemRowProps) {
  const { item } = props;
  return (
    <div
      className={cn('relative pr-3 pl-11', props.isWanted && 'bg-accent-soft')}
      data-seq={item.seq}
      aria-current={props.isWanted || undefined}
    >
      {props.isNewSpeaker && (
        <AgentAvatar
          agent={agentToken(item.agent)}
          name={item.agent}
          size="sm"
          className="absolute top-1 left-4.5"
        />
      )}
      <ItemContent {...props} onToggle={() => props.onToggle(props.row)} />
    </div>
  );
});
