import { Columns2 } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function ComparePage() {
  return (
    <>
      <PageHeader title="Compare" />
      <EmptyState size="page" icon={<Columns2 />} title="Nothing to compare">
        Choose two runs, or a run and its fork, to see them side by side.
      </EmptyState>
    </>
  );
}
