import { BrainCircuit, Search } from 'lucide-react';
import { useDeferredValue } from 'react';
import { useSearchParams } from 'react-router';
import { ApiError } from '@/api/http';
import { useMemories } from '@/api/memory';
import { memoryCli } from '@/model/cli/cli-memory';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Input } from '@/ui/input';
import { PageHeader } from '@/ui/page-header';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import { ConsolidateMemory } from './consolidate-memory';
import { MemoryRow } from './memory-row';
import { OneMemory } from './one-memory';

const SCOPES = [
  { value: 'all', label: 'All scopes' },
  { value: 'run', label: 'Run' },
  { value: 'team', label: 'Team' },
  { value: 'repository', label: 'Repository' },
  { value: 'global', label: 'Global' },
] as const;

/** What agents remember; words and scope are in the URL, or one entry. */
export default function MemoryPage() {
  const [search] = useSearchParams();
  const entry = search.get('entry');
  const words = search.get('q') ?? '';
  const command =
    entry === null ? memoryCli.list(words, search.get('scope') ?? '') : memoryCli.show(entry);
  return (
    <>
      <PageHeader title="Memory" actions={<CliCommand command={command} />} />
      <div className="mx-auto flex max-w-225 flex-col gap-4 px-4 py-5 md:px-6">
        {entry === null ? <EveryMemory /> : <OneMemory key={entry} id={entry} />}
      </div>
    </>
  );
}

function EveryMemory() {
  const [search, setSearch] = useSearchParams();
  const words = search.get('q') ?? '';
  const scope = search.get('scope') ?? '';
  const { data, error, isPending, isFetching, refetch } = useMemories(
    useDeferredValue(words.trim()),
    scope,
  );
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <p className="text-sm text-pretty text-muted">
        What agents of teams have stored for later. Before each turn, an agent is reminded of the
        entries that fit.
      </p>
      <div className="flex flex-wrap gap-2">
        <div className="min-w-60 flex-1">
          <Input
            icon={<Search />}
            aria-label="Search"
            placeholder="Search"
            value={words}
            onChange={(event) => change('q', event.target.value)}
          />
        </div>
        <Select
          aria-label="Scope"
          className="w-40"
          value={SCOPES.find(({ value }) => value === scope)?.value ?? 'all'}
          onChange={(value) => change('scope', value === 'all' ? '' : value)}
          options={SCOPES}
        />
      </div>
      <ConsolidateMemory scope={scope} />
      {isPending && (
        <div role="status" aria-label="Reading what agents remember">
          <Skeleton className="h-40" />
        </div>
      )}
      {error && (
        <ErrorState
          title="Could not read what agents remember"
          message={error.message}
          {...(error instanceof ApiError && error.hint ? { hint: error.hint } : {})}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data?.items.length === 0 && (
        <EmptyState
          icon={<BrainCircuit />}
          title={words === '' ? 'Nothing is stored yet' : 'Nothing was found'}
        >
          Agents store entries with the tool <code>store_memory</code>, and you with{' '}
          <code>amelia memory set</code>.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul aria-label="Entries" className="flex flex-col">
          {data.items.map((entry) => (
            <MemoryRow key={entry.memory_id} entry={entry} />
          ))}
        </ul>
      )}
      {data?.next_cursor != null && (
        <p className="text-xs text-muted">There are more entries: search for them.</p>
      )}
    </>
  );
}
