import type { ReactNode } from 'react';
import { formatDuration, formatMoney, formatTokens, plural } from '@/lib/format';
import { knownUsd } from '@/model/usage/cost';
import { Meter } from '@/ui/meter';
import type { Budget } from '@/wire/log/Budget';
import type { Spend } from '@/wire/log/Spend';

type BudgetMetersProps = { spend: Spend; budget: Budget | null; activeMs: number };

/** Each thing that is counted, against its limit when there is one. */
export function BudgetMeters({ spend, budget, activeMs }: BudgetMetersProps) {
  const usd = knownUsd(spend);
  const wall = budget?.wall_seconds == null ? null : budget.wall_seconds * 1_000;
  return (
    <div className="grid grid-cols-2 gap-3 @2xl:grid-cols-4">
      <Counted
        label="Cost"
        value={usd === null ? 'unknown price' : formatMoney(usd)}
        spent={spend.usd}
        limit={budget?.usd ?? null}
        limitText={formatMoney(budget?.usd)}
      >
        {spend.unpriced_calls > 0 &&
          usd !== null &&
          `plus ${plural(spend.unpriced_calls, 'call')} with unknown price`}
      </Counted>
      <Counted
        label="Tokens"
        value={formatTokens(spend.tokens)}
        spent={spend.tokens}
        limit={budget?.tokens ?? null}
        limitText={formatTokens(budget?.tokens ?? 0)}
      />
      <Counted
        label="Model calls"
        value={String(spend.calls)}
        spent={spend.calls}
        limit={budget?.calls ?? null}
        limitText={String(budget?.calls)}
      />
      <Counted
        label="Active time"
        value={formatDuration(activeMs)}
        spent={activeMs}
        limit={wall}
        limitText={formatDuration(wall ?? 0)}
      />
    </div>
  );
}

type CountedProps = {
  label: string;
  value: string;
  spent: number;
  limit: number | null;
  limitText: string;
  children?: ReactNode;
};

function Counted({ label, value, spent, limit, limitText, children }: CountedProps) {
  return (
    <div className="flex flex-col rounded-lg border border-line bg-panel px-3 py-2.5 shadow-low">
      <span className="text-2xs font-medium text-muted">{label}</span>
      <span className="tabular text-lg font-semibold tracking-tight">{value}</span>
      {children && <span className="text-2xs text-muted">{children}</span>}
      {limit === null ? (
        <span className="text-2xs text-subtle">no limit</span>
      ) : (
        <>
          <Meter
            label={label}
            value={spent}
            limit={limit}
            text={`${value} of ${limitText}`}
            className="mt-1.5"
          />
          <span className="mt-1 text-2xs text-muted">of {limitText}</span>
        </>
      )}
    </div>
  );
}
