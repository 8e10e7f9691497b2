import { ArrowLeftRight } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { ApiError } from '@/api/http';
import { useCompare, useRuns } from '@/api/runs';
import { useShortcut } from '@/lib/use-shortcut';
import { cli } from '@/model/cli/cli';
import { forkPairs, relativesOf } from '@/model/compare/compare';
import { CliCommand } from '@/ui/cli-command';
import { ErrorState } from '@/ui/error-state';
import { IconButton } from '@/ui/icon-button';
import { PageHeader } from '@/ui/page-header';
import { CompareSkeleton } from './compare-skeleton';
import { ComparisonView } from './comparison-view';
import { RunPicker } from './run-picker';
import { Suggestions } from './suggestions';

export default function ComparePage() {
  const [params, setParams] = useSearchParams();
  const a = params.get('a') || null;
  const b = params.get('b') || null;
  const compared = useCompare(a, b);
  const recent = useRuns({ limit: 100 });
  const runs = recent.data?.pages.flatMap((page) => page.items) ?? [];
  const find = (id: string | null) =>
    [compared.data?.a, compared.data?.b, ...runs].find((run) => run?.id === id);
  const left = find(a);
  const right = find(b);
  const related = (run: typeof left) => (run ? relativesOf(run, runs) : []);

  const choose = (sides: { a?: string | null; b?: string | null }) =>
    setParams((before) => {
      for (const [side, id] of Object.entries(sides)) {
        if (id) before.set(side, id);
        else before.delete(side);
      }
      return before;
    });
  const swap = () => choose({ a: b, b: a });
  const canSwap = a !== null || b !== null;
  useShortcut({ keys: 'x', label: 'Swap sides', group: 'Compare', when: canSwap }, swap);

  const one = left ?? right;
  const pairs = one ? related(one).map((other) => ({ a: one, b: other })) : forkPairs(runs);
  return (
    <div className="mx-auto flex max-w-270 flex-col gap-4 p-4 md:p-5">
      <PageHeader title="Compare" actions={a && b && <CliCommand command={cli.compare(a, b)} />} />
      <div className="grid items-center gap-2 md:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <RunPicker
          label="Run A"
          value={a}
          chosen={left}
          suggested={related(right)}
          onChange={(id) => choose({ a: id })}
        />
        <IconButton
          aria-label="Swap sides"
          shortcut="x"
          className="max-md:mx-auto max-md:rotate-90"
          icon={<ArrowLeftRight />}
          disabled={!canSwap}
          onClick={swap}
        />
        <RunPicker
          label="Run B"
          value={b}
          chosen={right}
          suggested={related(left)}
          onChange={(id) => choose({ b: id })}
        />
      </div>
      {a === null || b === null ? (
        recent.isPending ? (
          <CompareSkeleton />
        ) : (
          <Suggestions chosen={one} pairs={pairs} runs={runs.length} />
        )
      ) : compared.data ? (
        <ComparisonView compared={compared.data} />
      ) : compared.error ? (
        <ErrorState
          title="Could not compare the runs"
          message={compared.error.message}
          hint={compared.error instanceof ApiError ? compared.error.hint : undefined}
          onRetry={() => void compared.refetch()}
          retrying={compared.isFetching}
        />
      ) : (
        <CompareSkeleton />
      )}
    </div>
  );
}
