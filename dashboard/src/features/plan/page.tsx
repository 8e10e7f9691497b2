import { ListChecks } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function PlanPage() {
  return (
    <>
      <PageHeader title="Plan" />
      <EmptyState size="page" icon={<ListChecks />} title="No plan to review">
        The plan of a run appears here, to be read, commented and approved.
      </EmptyState>
    </>
  );
}
