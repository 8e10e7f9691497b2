import { formatMoney, formatTokens, plural } from '@/lib/format';
import { filesTouched, type Plan } from '@/model/plan/plan';
import type { RunDetail } from '@/wire/RunDetail';

type PlanForecastProps = { plan: Plan; run: RunDetail };

/** What is known of what is to come: how much work, and how much may be spent. */
export function PlanForecast({ plan, run }: PlanForecastProps) {
  const steps = plan.tasks.reduce((sum, task) => sum + task.steps.length, 0);
  return (
    <div className="text-xs text-muted">
      <p className="flex flex-wrap gap-x-1.5">
        <span>{plural(plan.tasks.length, 'task')}</span>·<span>{plural(steps, 'step')}</span>·
        <span>{plural(filesTouched(plan).length, 'file')}</span>·<span>{budget(run)}</span>·
        <span>{spent(run)}</span>
      </p>
      {run.estimate && <p>Estimate: {run.estimate.text}</p>}
    </div>
  );
}

function budget({ budget: { usd, tokens, calls } }: RunDetail): string {
  const limits = [
    usd === null ? null : formatMoney(usd),
    tokens === null ? null : `${formatTokens(tokens)} tokens`,
    calls === null ? null : plural(calls, 'call'),
  ].filter((one) => one !== null);
  return limits.length === 0 ? 'no budget' : `budget ${limits.join(', ')}`;
}

function spent({ usage }: RunDetail): string {
  const tokens = `${formatTokens(usage.tokens)} tokens so far`;
  const isUnknown = usage.calls > 0 && usage.unpriced_calls >= usage.calls;
  return isUnknown ? `${tokens} (price unknown)` : `${formatMoney(usage.cost_usd ?? 0)}, ${tokens}`;
}
