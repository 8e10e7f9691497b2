import { formatMoney, formatTokens } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import type { TraceNode } from '@/model/trace/trace-node';
import { priceOf, timesOf } from '@/model/trace/trace-rows';
import { WorkTime } from '../work-time';
import { TraceRows } from './trace-rows';
import type { OpenTrace } from './use-open-trace';

type TreeProps = { trace: OpenTrace; onSeek: (seq: number) => void };

const grid =
  'grid grid-cols-[minmax(0,1fr)_3.75rem_3.5rem_4.5rem] items-center gap-x-2 px-3 max-md:grid-cols-[minmax(0,1fr)_3.5rem_3.25rem] max-md:px-2';
const figure = 'tabular truncate text-right font-mono text-2xs text-muted';

/** Run, stage, conversation, turn, call, sub-agent: what each took. */
export function Tree({ trace, onSeek }: TreeProps) {
  const now = useNow(1_000);
  return (
    <div className="flex h-full flex-col">
      <div aria-hidden className={`${grid} h-6 shrink-0 border-b border-line text-2xs text-subtle`}>
        <span>Name</span>
        <span className="text-right">Time</span>
        <span className="text-right max-md:hidden">Tokens</span>
        <span className="text-right">Cost</span>
      </div>
      <TraceRows
        trace={trace}
        label="Time and cost by step"
        grid={grid}
        title={({ seq }) => `Event #${seq}. Double-click to show the run at this moment.`}
        onDoubleClick={({ seq }) => onSeek(seq)}
        cells={(node) => (
          <>
            <span className="text-right text-2xs text-muted">
              <WorkTime {...timesOf(node, now)} />
            </span>
            <span className={`${figure} max-md:hidden`}>{tokens(node)}</span>
            <span className={figure}>{node.spend.calls > 0 ? cost(node) : '–'}</span>
          </>
        )}
      />
    </div>
  );
}

const tokens = ({ spend }: TraceNode) => (spend.tokens > 0 ? formatTokens(spend.tokens) : '–');

const cost = ({ spend }: TraceNode) => {
  const usd = priceOf(spend);
  return usd === null ? 'unknown' : formatMoney(usd);
};
