import { Search, SearchX } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { useServerValues } from '@/api/settings';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { ServerForm } from '@/features/settings/server/server-form';
import { settingsCli } from '@/model/cli/cli-settings';
import { matches, serverField } from '@/model/settings/server-fields';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { Input } from '@/ui/input';
import { PageHeader } from '@/ui/page-header';

export default function ServerPage() {
  const { data, error, isPending, refetch, isFetching } = useServerValues();
  const [search, setSearch] = useSearchParams();
  const words = search.get('q') ?? '';
  const fields = (data ?? []).map(serverField);
  const shown = fields.filter((field) => matches(field, words));
  return (
    <>
      <PageHeader
        title="Server"
        actions={
          <>
            <div className="w-36 md:w-56">
              <Input
                type="search"
                aria-label="Search settings"
                placeholder="Search"
                icon={<Search />}
                value={words}
                onChange={(event) =>
                  setSearch(event.target.value ? { q: event.target.value } : {}, { replace: true })
                }
              />
            </div>
            <CliCommand command={settingsCli.server()} />
          </>
        }
      />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="Could not load the server’s configuration"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && <ServerForm all={fields} shown={shown} />}
      {data && shown.length === 0 && (
        <EmptyState icon={<SearchX />} title="No matching settings">
          No setting matches “{words}”.
        </EmptyState>
      )}
    </>
  );
}
