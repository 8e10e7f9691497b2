import { Workflow } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function RunPage() {
  return (
    <>
      <PageHeader title="Run" />
      <EmptyState size="page" icon={<Workflow />} title="No run is open">
        A run shows its pipeline, its stream and its results here.
      </EmptyState>
    </>
  );
}
