import { SearchX } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { ApiError } from '@/api/http';
import { useRun } from '@/api/runs';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { RunScreen } from './run-screen';
import { RunSkeleton } from './run-skeleton';

export default function RunPage() {
  const { id = '' } = useParams();
  const run = useRun(id);
  if (run.data) return <RunScreen key={id} detail={run.data} />;
  if (run.isPending) return <RunSkeleton />;
  const error = run.error instanceof ApiError ? run.error : null;
  if (error?.status === 404 || error?.status === 400 || error?.status === 422) {
    return (
      <>
        <PageHeader title="No such run" />
        <EmptyState
          size="page"
          icon={<SearchX />}
          title="There is no such run"
          action={
            <Button asChild variant="primary">
              <Link to="/">All runs</Link>
            </Button>
          }
        >
          It may have been removed, or the link is not whole: <code className="text-xs">{id}</code>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Run" />
      <ErrorState
        size="page"
        title="The run could not be read"
        message={run.error.message}
        hint={error?.hint}
        onRetry={() => void run.refetch()}
        retrying={run.isFetching}
        {...(error?.requestId ? { requestId: error.requestId } : {})}
      />
    </>
  );
}
