import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { ApiError } from '@/api/http';
import { useRun } from '@/api/runs';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import type { RunDetail } from '@/wire/RunDetail';

type RunLoaderProps = {
  /** As the address has it: its id, or its short id. */
  id: string;
  /** The heading when the run cannot be read. */
  title: string;
  /** The page's own shape while the run is asked for. */
  loading: ReactNode;
  /** Drawn, and with it everything else about the run asked for, when there is such a run. */
  children: (run: RunDetail) => ReactNode;
};

/** What the pages of a run have in common: there may be no such run. */
export function RunLoader({ id, title, loading, children }: RunLoaderProps) {
  const run = useRun(id);
  if (run.data && run.data.id !== id) return <ToId id={run.data.id} />;
  if (run.data) return children(run.data);
  if (run.isPending) return loading;
  const error = run.error instanceof ApiError ? run.error : null;
  if (error && isNoSuchRun(error)) return <NoSuchRun id={id} />;
  return (
    <>
      <PageHeader title={title} />
      <ErrorState
        size="page"
        title="Could not load the run"
        message={run.error.message}
        hint={error?.hint}
        onRetry={() => void run.refetch()}
        retrying={run.isFetching}
        {...(error?.requestId ? { requestId: error.requestId } : {})}
      />
    </>
  );
}

/** To the same page by the run's id: changes of a run come by its id, and everything here is kept by it. */
function ToId({ id }: { id: string }) {
  const { pathname, search, hash, state } = useLocation();
  const to = pathname.replace(/^\/runs\/[^/]+/, `/runs/${id}`);
  return <Navigate replace to={{ pathname: to, search, hash }} state={state} />;
}

/** A name that cannot be one of a run is refused as such. */
const isNoSuchRun = ({ status }: ApiError) => status === 404 || status === 400 || status === 422;

function NoSuchRun({ id }: { id: string }) {
  return (
    <>
      <PageHeader title="Run not found" />
      <EmptyState
        size="page"
        icon={<SearchX />}
        title="This run does not exist"
        action={
          <Button asChild variant="primary">
            <Link to="/">All runs</Link>
          </Button>
        }
      >
        It may have been deleted, or the link is incomplete:{' '}
        <code className="text-xs wrap-anywhere">{id}</code>
      </EmptyState>
    </>
  );
}
