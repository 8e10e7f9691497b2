import { formatMoney, formatTokens } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import type { TraceNode } from '@/model/trace/trace';
import { priceOf, timesOf } from '@/model/trace/trace-rows';
import { WorkTime } from '../work-time';
import { TraceRows } from './trace-rows';

type TreeProps = { root: TraceNode; onSeek: (seq: number) => void };

const grid = 'grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem_5.5rem] items-center gap-x-2 px-3';

/** Run, stage, conversation, turn, call: what each took. */
export function Tree({ root, onSeek }: TreeProps) {
  const now = useNow(1_000);
  return (
    <div className="flex h-full flex-col">
      <div aria-hidden className={`${grid} h-6 shrink-0 border-b border-line text-2xs text-subtle`}>
        <span>Name</span>
        <span className="text-right">Time</span>
        <span className="text-right">Tokens</span>
        <span className="text-right">Cost</span>
      </div>
      <TraceRows
        root={root}
        label="Time and cost by step"
        grid={grid}
        title={({ seq }) => `Event #${seq}. Double-click to show the run at this moment.`}
        onDoubleClick={({ seq }) => onSeek(seq)}
        cells={(node) => (
          <>
            <span className="text-right text-2xs text-muted">
              <WorkTime {...timesOf(node, now)} />
            </span>
            <span className="tabular text-right font-mono text-2xs text-muted">
              {node.spend.tokens > 0 ? formatTokens(node.spend.tokens) : '–'}
            </span>
            <span className="tabular truncate text-right font-mono text-2xs text-muted">
              {node.spend.calls > 0 ? cost(node) : '–'}
            </span>
          </>
        )}
      />
    </div>
  );
}

const cost = ({ spend }: TraceNode) => {
  const usd = priceOf(spend);
  return usd === null ? 'unknown' : formatMoney(usd);
};
