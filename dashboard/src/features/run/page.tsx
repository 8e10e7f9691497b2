import { useParams } from 'react-router';
import { KnownRun } from './known-run';
import { RunScreen } from './run-screen';
import { RunSkeleton } from './run-skeleton';

export default function RunPage() {
  const { id = '' } = useParams();
  return (
    <KnownRun id={id} title="Run" loading={<RunSkeleton />}>
      {(detail) => <RunScreen key={id} detail={detail} />}
    </KnownRun>
  );
}
