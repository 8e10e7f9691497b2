import { formatMoney, formatTokens } from '@/lib/format';
import { Meter } from '@/ui/meter';
import type { Budget } from '@/wire/Budget';
import type { Spent } from '@/wire/Spent';

type SpendProps = {
  usage: Spent;
  budget: Budget;
  /** Beside the words, without them over the whole width, or not at all. */
  meter?: 'beside' | 'only' | 'none';
};

/** What it has cost, against what it may. Tokens where the price is unknown. */
export function Spend({ usage, budget, meter = 'beside' }: SpendProps) {
  const { text, limit, value, title } = spendOf(usage, budget);
  const isMeterShown = limit !== null && meter !== 'none';
  const bar = isMeterShown && (
    <Meter
      label="Budget used"
      value={value}
      limit={limit}
      text={title}
      className={meter === 'only' ? 'mt-1.5 h-0.75' : 'w-10'}
    />
  );
  if (meter === 'only') return bar;
  if (text === '') return null;
  return (
    <span className="ml-auto inline-flex items-center gap-1.5" title={title}>
      {bar}
      <span className="tabular whitespace-nowrap text-2xs text-muted">{text}</span>
    </span>
  );
}

/** Whether there is anything to say about it. */
export const isSpendKnown = (usage: Spent, budget: Budget) => spendOf(usage, budget).text !== '';

/** Two decimals are enough at a glance; the title has the rest. */
const cents = (usd: number) => (usd >= 0.005 || usd === 0 ? `$${usd.toFixed(2)}` : '<$0.01');

function spendOf(usage: Spent, budget: Budget) {
  const isPriced = usage.calls > usage.unpriced_calls;
  const money = `${usage.unpriced_calls > 0 ? 'over ' : ''}${cents(usage.cost_usd ?? 0)}`;
  const tokens = `${formatTokens(usage.tokens)} tokens`;
  if (budget.usd !== null && (isPriced || usage.calls === 0)) {
    const most = cents(budget.usd);
    const text = `${isPriced ? money : '$0.00'} / ${most}`;
    const title = `${formatMoney(usage.cost_usd ?? 0)} of ${most}, ${tokens}`;
    return { text, limit: budget.usd, value: usage.cost_usd ?? 0, title };
  }
  if (budget.tokens !== null) {
    const most = formatTokens(budget.tokens);
    const text = `${formatTokens(usage.tokens)} / ${most} tokens`;
    return { text, limit: budget.tokens, value: usage.tokens, title: `${tokens} of ${most}` };
  }
  if (usage.calls === 0) return { text: '', limit: null, value: 0, title: 'Nothing spent yet' };
  const title = isPriced
    ? `${formatMoney(usage.cost_usd ?? 0)}, ${tokens}`
    : `${tokens}; price unknown`;
  return { text: isPriced ? money : tokens, limit: null, value: 0, title };
}
