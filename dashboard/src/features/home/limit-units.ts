import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import type { LimitName } from '@/wire/LimitName';
import type { Spent } from '@/wire/Spent';

type Unit = {
  show: (value: number) => string;
  /** What the run has used of it; `null` where its summary does not say. */
  used: (spent: Spent) => number | null;
};

/** How each kind of limit is read and shown. */
export const limitUnits: Record<LimitName, Unit> = {
  usd: { show: formatMoney, used: (spent) => spent.cost_usd ?? 0 },
  tokens: {
    show: (value) => `${formatTokens(value)} tokens`,
    used: (spent) => spent.tokens,
  },
  calls: { show: (value) => `${value} model calls`, used: (spent) => spent.calls },
  wall_seconds: {
    show: (value) => `${formatDuration(value * 1_000)} of active time`,
    used: () => null,
  },
};
