import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

type ItemPageProps = {
  name: string;
  /** What it is one of: "profile". */
  kind: string;
  query: {
    data: unknown;
    error: Error | null;
    isPending: boolean;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  icon: ReactNode;
  /** Why it may not be there. */
  children: ReactNode;
};

/** The page of one profile or prompt as long as there is nothing to edit: on its way, unreadable, or not there. */
export function ItemPage({ name, kind, query, icon, children }: ItemPageProps) {
  const { data, error, isPending, isFetching, refetch } = query;
  return (
    <>
      <PageHeader title={name} />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title={`Could not load the ${kind}`}
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data !== undefined && (
        <EmptyState
          size="page"
          icon={icon}
          title={`No ${kind} with this name`}
          action={
            <Button asChild>
              <Link to={`/settings/${kind}s`}>
                <ArrowLeft />
                All {kind}s
              </Link>
            </Button>
          }
        >
          {children}
        </EmptyState>
      )}
    </>
  );
}
