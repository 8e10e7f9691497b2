import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import type { Amount } from '@/model/settings/limits';

/** A limit as people read it. */
export function limitText(amount: Amount, value: number | null): string {
  if (value === null) return 'no limit';
  if (amount === 'usd') return formatMoney(value);
  if (amount === 'wall_seconds') return formatDuration(value * 1_000);
  return amount === 'tokens' ? formatTokens(value) : String(value);
}
