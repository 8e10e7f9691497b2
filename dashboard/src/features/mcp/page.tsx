import { Plug, RotateCcw } from 'lucide-react';
import { ApiError } from '@/api/http';
import { useMcpServers } from '@/api/mcp';
import { definitionsCli } from '@/model/cli/cli-definitions';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';
import { ServerCard } from './server-card';

export default function McpPage() {
  const { data, error, isPending, isFetching, refetch } = useMcpServers();
  const again = () => void refetch();
  return (
    <>
      <PageHeader
        title="MCP servers"
        actions={
          <>
            <CliCommand command={definitionsCli.servers()} />
            <Button icon={<RotateCcw />} loading={isFetching} onClick={again}>
              Refresh
            </Button>
          </>
        }
      />
      <div className="mx-auto flex max-w-225 flex-col gap-4 px-4 py-5 md:px-6">
        <p className="text-sm text-pretty text-muted">
          Servers of the Model Context Protocol whose tools agents can call. They are configured in{' '}
          <code>config/mcp_servers.yaml</code> in Amelia’s home. This page starts a server only when
          you press Connect.
        </p>
        {isPending && (
          <div role="status" aria-label="Reading the MCP servers">
            <Skeleton className="h-40" />
          </div>
        )}
        {error && (
          <ErrorState
            title="Could not read the MCP servers"
            message={error.message}
            {...(error instanceof ApiError && error.hint ? { hint: error.hint } : {})}
            onRetry={again}
            retrying={isFetching}
          />
        )}
        {data?.length === 0 && (
          <EmptyState icon={<Plug />} title="No MCP servers yet">
            Describe them in <code>config/mcp_servers.yaml</code> in Amelia’s home.{' '}
            <code>amelia schema mcp</code> prints the JSON Schema of the file.
          </EmptyState>
        )}
        {data?.map((server) => (
          <ServerCard key={server.name} server={server} />
        ))}
      </div>
    </>
  );
}
