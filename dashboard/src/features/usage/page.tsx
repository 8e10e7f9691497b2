import { ChartNoAxesColumn } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function UsagePage() {
  return (
    <>
      <PageHeader title="Usage" />
      <EmptyState size="page" icon={<ChartNoAxesColumn />} title="No usage yet">
        Cost and tokens over time appear here after the first run.
      </EmptyState>
    </>
  );
}
