import { useMemo } from 'react';
import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import { priceOf, rowsOf, type TraceNode } from '@/model/trace';
import { Duration } from '@/ui/duration';
import { VirtualList } from '@/ui/virtual-list';
import { TraceLabel } from './trace-label';
import { useOpened } from './use-opened';

type TreeProps = { root: TraceNode; onSeek: (seq: number) => void };

const grid = 'grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem_5.5rem] items-center gap-x-2 px-3';

/** Run, stage, conversation, turn, call: what each took. */
export function Tree({ root, onSeek }: TreeProps) {
  const { opened, toggle } = useOpened();
  const rows = useMemo(() => rowsOf(root, opened), [root, opened]);
  return (
    <div className="flex h-full flex-col">
      <div aria-hidden className={`${grid} h-6 shrink-0 border-b border-line text-2xs text-subtle`}>
        <span>Name</span>
        <span className="text-right">Time</span>
        <span className="text-right">Tokens</span>
        <span className="text-right">Cost</span>
      </div>
      <VirtualList
        label="What each part took"
        className="min-h-0 flex-1"
        count={rows.length}
        itemKey={(index) => rows[index]?.node.key ?? index}
        estimateSize={estimate}
        renderItem={(index) => {
          const row = rows[index];
          if (!row) return null;
          const { node } = row;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the slider does the same by keyboard.
            <div
              onDoubleClick={() => onSeek(node.seq)}
              title={`Event #${node.seq}. Double click: show the run as of then.`}
              className={`${grid} h-7 border-b border-line hover:bg-hover`}
            >
              <TraceLabel row={row} onToggle={() => toggle(node.key)} />
              <span className="text-right text-2xs text-muted">
                <Time node={node} />
              </span>
              <span className="tabular text-right font-mono text-2xs text-muted">
                {node.spend.tokens > 0 ? formatTokens(node.spend.tokens) : '–'}
              </span>
              <span className="tabular truncate text-right font-mono text-2xs text-muted">
                {node.spend.calls > 0 ? cost(node) : '–'}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}

const estimate = () => 28;

const cost = ({ spend }: TraceNode) => {
  const usd = priceOf(spend);
  return usd === null ? 'unknown' : formatMoney(usd);
};

function Time({ node }: { node: TraceNode }) {
  if (node.end === null && node.count === 1) return <Duration since={node.start} />;
  return (
    <span className="tabular font-mono">
      {node.durationMs === null ? '–' : formatDuration(node.durationMs)}
    </span>
  );
}
