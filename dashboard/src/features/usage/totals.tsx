import type { ReactNode } from 'react';
import { formatMoney, formatPercent, formatTokens, plural } from '@/lib/format';
import { knownCost, runsIn, successRate } from '@/model/usage/usage-series';
import type { Spent } from '@/wire/Spent';
import type { Usage } from '@/wire/Usage';

type TotalsProps = { usage: Usage };

/** A call that told no tokens is estimated, and that is said. */
function callsNote({ calls, estimated_calls }: Spent): string {
  const all = plural(calls, 'model call');
  return estimated_calls > 0 ? `${all}, ${estimated_calls} estimated` : all;
}

/** Everything in five numbers. */
export function Totals({ usage: { total, outcomes } }: TotalsProps) {
  const rate = successRate(outcomes);
  const ended = outcomes.completed + outcomes.failed;
  const open = [
    outcomes.cancelled > 0 ? `${outcomes.cancelled} cancelled` : null,
    outcomes.open > 0 ? `${outcomes.open} unfinished` : null,
  ].filter((one) => one !== null);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-low lg:grid-cols-4">
      <Figure
        label="Cost"
        isWord={knownCost(total) === null}
        value={formatMoney(knownCost(total))}
        note={priceNote(total.calls, total.unpriced_calls)}
      />
      <Figure label="Tokens" value={formatTokens(total.tokens)} note={callsNote(total)} />
      <Figure
        label="Runs"
        value={runsIn(outcomes).toLocaleString('en')}
        note={open.length > 0 ? open.join(', ') : 'all finished'}
      />
      <Figure
        label="Success"
        isWord={rate === null}
        value={rate === null ? 'no finished runs' : formatPercent(rate)}
        note={
          rate === null
            ? 'counts completed and failed runs'
            : `${outcomes.completed} of ${ended} completed`
        }
      />
    </dl>
  );
}

function priceNote(calls: number, unpriced: number): ReactNode {
  if (unpriced === 0) return calls === 0 ? 'no model calls' : 'all prices known';
  if (unpriced >= calls) return `price unknown for ${plural(calls, 'call')}`;
  return <span className="text-needs-you">plus {plural(unpriced, 'call')} with unknown price</span>;
}

type FigureProps = { label: string; value: string; note: ReactNode; isWord?: boolean };

function Figure({ label, value, note, isWord = false }: FigureProps) {
  return (
    <div className="bg-panel px-4 py-3">
      <dt className="text-xs text-muted">{label}</dt>
      <dd>
        <span
          className={
            isWord
              ? 'block text-lg leading-7 font-medium text-muted'
              : 'tabular block text-xl font-semibold tracking-tight'
          }
        >
          {value}
        </span>
        <span className="text-xs text-muted">{note}</span>
      </dd>
    </div>
  );
}
