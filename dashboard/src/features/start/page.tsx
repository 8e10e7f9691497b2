import { CirclePlay } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function StartPage() {
  return (
    <>
      <PageHeader title="Start" />
      <EmptyState size="page" icon={<CirclePlay />} title="Start a run">
        Pick a repository and an issue, and bring it home.
      </EmptyState>
    </>
  );
}
