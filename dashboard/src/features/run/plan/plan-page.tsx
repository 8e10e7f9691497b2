import { useParams } from 'react-router';
import { RunLoader } from '../run-loader';
import { RunPageHeader } from '../run-page-header';
import { PlanScreen } from './plan-screen';
import { PlanLoading } from './plan-states';

export default function PlanPage() {
  const { id = '' } = useParams();
  const loading = (
    <>
      <RunPageHeader id={id} what="Plan" run={undefined} />
      <PlanLoading />
    </>
  );
  return (
    <RunLoader id={id} title="Plan" loading={loading}>
      {(run) => <PlanScreen key={id} run={run} />}
    </RunLoader>
  );
}
