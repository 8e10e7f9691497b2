import { History, Undo2 } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { usePromptVersions } from '@/api/settings';
import { LazyTextDiff } from '@/features/settings/parts/lazy-text-diff';
import { QueryError } from '@/features/settings/parts/query-error';
import { versionChoices } from '@/features/settings/prompts/version-choices';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import { TimeAgo } from '@/ui/time-ago';
import type { PromptShown } from '@/wire/PromptShown';

type PromptVersionsProps = {
  prompt: PromptShown;
  restoring: boolean;
  onRestore: (version: number, text: string) => void;
};

/** Every version that was kept, and what differs between any two. */
export function PromptVersions({ prompt, restoring, onRestore }: PromptVersionsProps) {
  const { data, error, isPending, refetch, isFetching } = usePromptVersions(prompt.name);
  const [search, setSearch] = useSearchParams();
  if (isPending) return <Skeleton className="h-60" />;
  if (error)
    return (
      <QueryError
        title="Could not load versions"
        error={error}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  if (data.length === 0)
    return (
      <EmptyState icon={<History />} title="No versions yet">
        This is the default prompt. Your versions will appear here.
      </EmptyState>
    );
  const choices = versionChoices(prompt, data);
  const find = (key: string | null) => choices.find((choice) => choice.value === key);
  const after = find(search.get('to')) ?? choices.at(-1);
  const before = find(search.get('from')) ?? choices.at(-2) ?? after;
  const choose = (side: string, value: string) =>
    setSearch(
      { tab: 'versions', from: before?.value ?? '', to: after?.value ?? '', [side]: value },
      { replace: true },
    );
  return (
    <div className="grid gap-5 pb-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <ol aria-label="Versions" className="flex flex-col">
        {data.toReversed().map((version) => (
          <li
            key={version.version}
            className="flex min-h-12 items-center gap-2 border-b py-1.5 border-line last:border-0"
          >
            <div className="min-w-0 flex-1">
              <p className="font-medium">
                {version.text === null ? 'Reset to default' : `Version ${version.version}`}
              </p>
              <p className="text-xs text-muted">
                <TimeAgo at={version.created_at} />
              </p>
            </div>
            {version.text !== null && version.text !== prompt.text && (
              <Button
                size="sm"
                variant="ghost"
                icon={<Undo2 />}
                disabled={restoring}
                onClick={() => onRestore(version.version, version.text ?? '')}
              >
                Restore<span className="sr-only"> version {version.version}</span>
              </Button>
            )}
          </li>
        ))}
      </ol>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <Select
            aria-label="From"
            className="w-44"
            value={before?.value}
            onChange={(value) => choose('from', value)}
            options={choices}
          />
          <span className="text-muted">to</span>
          <Select
            aria-label="To"
            className="w-44"
            value={after?.value}
            onChange={(value) => choose('to', value)}
            options={choices}
          />
        </div>
        {before && after && (
          <LazyTextDiff label="Changes" before={before.text} after={after.text} />
        )}
      </div>
    </div>
  );
}
