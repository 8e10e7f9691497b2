import { formatDuration, formatMoney, formatTokens, plural } from '@/lib/format';
import type { Budget } from '@/wire/Budget';

export type Amount = keyof Budget;

/** One limit as people read it; `null` when there is none. */
export function limitLabel(budget: Budget | undefined, amount: Amount): string | null {
  const limit = budget?.[amount] ?? null;
  if (limit === null) return null;
  if (amount === 'usd') return formatMoney(limit);
  if (amount === 'tokens') return `${formatTokens(limit)} tokens`;
  if (amount === 'calls') return plural(limit, 'call');
  return formatDuration(limit * 1_000);
}

const amounts: Amount[] = ['usd', 'tokens', 'calls', 'wall_seconds'];

export function limitsLabel(budget: Budget | undefined): string {
  const parts = amounts.map((amount) => limitLabel(budget, amount)).filter((one) => one !== null);
  return parts.length === 0 ? 'no limit' : parts.join(', ');
}
