import { ArrowLeft, FileQuestion } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { useDefinition } from '@/api/definitions';
import { ApiError } from '@/api/http';
import { useRepository } from '@/api/repository';
import type { DefinitionKind } from '@/model/workflows/definition';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';
import { DefinitionScreen } from './definition-screen';
import { allOf, listOf } from './page-of';

type DefinitionPageProps = { kind: DefinitionKind };

/** A workflow or an agent: what it is, what is wrong with it, and a way to start it. */
export function DefinitionPage({ kind }: DefinitionPageProps) {
  const { name = '' } = useParams();
  const { path: repository, isReady } = useRepository();
  const query = useDefinition(kind, repository, name, isReady);
  const { data, error, isPending, isFetching, refetch } = query;
  const isMissing = error instanceof ApiError && error.status === 404;
  if (data) {
    return (
      <DefinitionScreen key={data.path} kind={kind} definition={data} repository={repository} />
    );
  }
  return (
    <>
      <PageHeader title={name} />
      {isPending && (
        <div role="status" aria-label={`Reading the ${kind}`} className="p-4 md:p-6">
          <Skeleton className="h-80" />
        </div>
      )}
      {isMissing && (
        <EmptyState
          size="page"
          icon={<FileQuestion />}
          title={`No ${kind} with this name`}
          action={
            <Button asChild>
              <Link to={listOf(kind, repository)}>
                <ArrowLeft />
                {allOf(kind)}
              </Link>
            </Button>
          }
        >
          {error.hint}
        </EmptyState>
      )}
      {error && !isMissing && (
        <ErrorState
          size="page"
          title={`Could not read the ${kind}`}
          message={error.message}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
    </>
  );
}
