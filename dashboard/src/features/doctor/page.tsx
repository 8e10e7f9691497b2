import { RotateCcw, Stethoscope } from 'lucide-react';
import { ApiError } from '@/api/http';
import { useRepositoryField } from '@/api/repository';
import { useDoctor } from '@/api/settings';
import { FindingRow } from '@/features/doctor/finding-row';
import { cli } from '@/model/cli/cli';
import { groupFindings, summaryOf } from '@/model/settings/checkup';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { RepositoryField } from '@/ui/repository-field';
import { Skeleton } from '@/ui/skeleton';

const HINT = 'Without a repository, that of the active profile is checked.';

export default function DoctorPage() {
  const { field, rested: repository, isReady } = useRepositoryField();
  const { data, error, isPending, isFetching, refetch } = useDoctor(repository, isReady);
  const again = () => void refetch();
  return (
    <>
      <PageHeader
        title="Doctor"
        actions={
          <>
            <CliCommand command={cli.doctor(repository)} />
            <Button icon={<RotateCcw />} loading={isFetching} onClick={again}>
              Run again
            </Button>
          </>
        }
      />
      <div className="mx-auto flex max-w-225 flex-col gap-4 px-4 py-5 md:px-6">
        <RepositoryField {...field} hint={HINT} />
        {isPending && (
          <div role="status" aria-label="Checking this machine" className="flex flex-col gap-4">
            <Skeleton className="h-6 w-64" />
            <Skeleton className="h-24" />
            <Skeleton className="h-80" />
          </div>
        )}
        {error && (
          <ErrorState
            title="Could not run the checks"
            message={error.message}
            {...(error instanceof ApiError && error.hint ? { hint: error.hint } : {})}
            onRetry={again}
            retrying={isFetching}
          />
        )}
        {data?.length === 0 && (
          <EmptyState icon={<Stethoscope />} title="Nothing to check">
            The server has no checks for this machine.
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <>
            <div role="status">
              <p className="text-xl font-semibold tracking-tight">{summaryOf(data)}</p>
              <p className="text-muted">
                What runs need on the server’s machine and in the repository, and how to fix what is
                missing.
              </p>
            </div>
            {groupFindings(data).map((group) => (
              <Card key={group.state} flush title={group.title}>
                <ul>
                  {group.findings.map((finding) => (
                    <FindingRow key={finding.name + finding.message} finding={finding} />
                  ))}
                </ul>
              </Card>
            ))}
          </>
        )}
      </div>
    </>
  );
}
