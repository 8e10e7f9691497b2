import { FileDiff } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function DiffPage() {
  return (
    <>
      <PageHeader title="Diff" />
      <EmptyState size="page" icon={<FileDiff />} title="No changes to review">
        What the Developer changed appears here, file by file.
      </EmptyState>
    </>
  );
}
