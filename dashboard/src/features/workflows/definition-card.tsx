import type { ReactNode } from 'react';
import { useDefinitions } from '@/api/definitions';
import { ApiError } from '@/api/http';
import type { DefinitionKind } from '@/model/workflows/definition';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';
import { DefinitionRow } from './definition-row';

type DefinitionCardProps = {
  kind: DefinitionKind;
  title: string;
  repository: string;
  icon: ReactNode;
};

/** All definitions of a kind. */
export function DefinitionCard({ kind, title, repository, icon }: DefinitionCardProps) {
  const { data, error, isPending, isFetching, refetch } = useDefinitions(kind, repository);
  return (
    <Card flush title={title}>
      {isPending && (
        <div role="status" aria-label={`Reading ${kind}s`} className="p-4">
          <Skeleton className="h-16" />
        </div>
      )}
      {error && (
        <ErrorState
          title={`Could not read the ${kind}s`}
          message={error.message}
          {...(error instanceof ApiError && error.hint ? { hint: error.hint } : {})}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data?.length === 0 && (
        <EmptyState icon={icon} title={`No ${kind}s yet`}>
          Write one to <code>.amelia/{kind}s/NAME.yaml</code>. <code>amelia schema {kind}</code>{' '}
          prints the JSON Schema of such a file.
          {kind === 'team' && (
            <>
              {' '}
              <code>amelia team new NAME</code> creates a team file that you can run.
            </>
          )}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ul aria-label={title}>
          {data.map((definition) => (
            <DefinitionRow
              key={definition.path}
              kind={kind}
              definition={definition}
              repository={repository}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}
