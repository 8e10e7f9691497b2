import { useParams } from 'react-router';
import { RunLoader } from '../run-loader';
import { RunPageHeader } from '../run-page-header';
import { ChangeLoading } from './change-states';
import { DiffScreen } from './diff-screen';

export default function DiffPage() {
  const { id = '' } = useParams();
  const loading = (
    <>
      <RunPageHeader id={id} what="Changes" run={undefined} />
      <div className="px-3 py-4 md:px-5">
        <ChangeLoading />
      </div>
    </>
  );
  return (
    <RunLoader id={id} title="Changes" loading={loading}>
      {(run) => <DiffScreen key={id} run={run} />}
    </RunLoader>
  );
}
