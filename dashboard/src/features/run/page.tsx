import { useParams } from 'react-router';
import { RunLoader } from './run-loader';
import { RunScreen } from './run-screen';
import { RunSkeleton } from './run-skeleton';

export default function RunPage() {
  const { id = '' } = useParams();
  return (
    <RunLoader id={id} title="Run" loading={<RunSkeleton />}>
      {(detail) => <RunScreen key={id} detail={detail} />}
    </RunLoader>
  );
}
