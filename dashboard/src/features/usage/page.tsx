import { ChartNoAxesColumn, Download } from 'lucide-react';
import { Link } from 'react-router';
import { ApiError } from '@/api/http';
import { usageCsvPath, useUsage } from '@/api/usage';
import { cli } from '@/model/cli/cli';
import { runsIn } from '@/model/usage/usage-series';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import type { Usage } from '@/wire/Usage';
import { Breakdown } from './breakdown';
import { RangePicker } from './range-picker';
import { SpentChart } from './spent-chart';
import { SuccessCard } from './success-card';
import { TopRuns } from './top-runs';
import { Totals } from './totals';
import { UsageSkeleton } from './usage-skeleton';
import { type UsageView, useUsageAddress } from './use-usage-view';

export default function UsagePage() {
  const address = useUsageAddress();
  const { filter, group, range, span, set } = address;
  const usage = useUsage(filter);
  // Where no price is known, what was used is worth more than an empty chart.
  const measure = address.wanted ?? (isPriced(usage.data) ? 'cost' : 'tokens');
  const view: UsageView = { ...address, measure };
  const command = cli.usage({
    by: 'run',
    since: filter.since?.replace('T00:00:00Z', ''),
    csv: true,
  });
  const label = filter.until ? 'Copy as CLI command (up to now)' : 'Copy as CLI command';
  return (
    <div className="mx-auto flex max-w-300 flex-col gap-4 p-4 md:p-5">
      <PageHeader
        title="Usage"
        actions={
          <>
            <CliCommand command={command} label={label} />
            <Button asChild>
              <a href={usageCsvPath(filter)} download="usage.csv">
                <Download aria-hidden />
                CSV
              </a>
            </Button>
          </>
        }
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <RangePicker range={range} span={span} set={set} />
        <div className="flex flex-wrap gap-2">
          <SegmentedControl
            label="Group by"
            value={group}
            onChange={(next) => set({ by: next === 'model' ? null : next })}
            segments={[
              { value: 'model', label: 'Models' },
              { value: 'agent', label: 'Agents' },
              { value: 'profile', label: 'Profiles' },
            ]}
          />
          <SegmentedControl
            label="Measure"
            value={measure}
            onChange={(next) => set({ show: next })}
            segments={[
              { value: 'cost', label: 'Cost' },
              { value: 'tokens', label: 'Tokens' },
              { value: 'runs', label: 'Runs' },
            ]}
          />
        </div>
      </div>
      {usage.data ? (
        <Found usage={usage.data} view={view} />
      ) : usage.error ? (
        <ErrorState
          title="Could not load usage"
          message={usage.error.message}
          hint={usage.error instanceof ApiError ? usage.error.hint : undefined}
          onRetry={() => void usage.refetch()}
          retrying={usage.isFetching}
        />
      ) : (
        <UsageSkeleton />
      )}
    </div>
  );
}

const isPriced = (usage: Usage | undefined) =>
  !usage || (usage.total.cost_usd ?? 0) > 0 || usage.total.unpriced_calls === 0;

function Found({ usage, view }: { usage: Usage; view: UsageView }) {
  const { range, measure, group, span, set } = view;
  if (runsIn(usage.outcomes) === 0 && usage.runs.length === 0) {
    return range.preset === 'all' ? (
      <EmptyState
        size="page"
        icon={<ChartNoAxesColumn />}
        title="No usage yet"
        action={
          <Button asChild variant="primary">
            <Link to="/start">Start a run</Link>
          </Button>
        }
      >
        Cost and tokens over time appear here after the first run.
      </EmptyState>
    ) : (
      <EmptyState
        size="page"
        icon={<ChartNoAxesColumn />}
        title="No usage in this period"
        action={
          <Button onClick={() => set({ range: 'all', from: null, to: null })}>Show all time</Button>
        }
      >
        No runs were started.
      </EmptyState>
    );
  }
  return (
    <>
      <Totals usage={usage} />
      <SpentChart usage={usage} view={view} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Breakdown usage={usage} group={group} measure={measure} />
        <TopRuns runs={usage.runs} />
      </div>
      <SuccessCard usage={usage} span={span} />
    </>
  );
}
