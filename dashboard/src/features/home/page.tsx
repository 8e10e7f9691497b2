import { Inbox } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function HomePage() {
  return (
    <>
      <PageHeader title="Home" />
      <EmptyState size="page" icon={<Inbox />} title="Nothing needs you">
        Plans to approve, questions and failures appear here, and below them every run by stage.
      </EmptyState>
    </>
  );
}
