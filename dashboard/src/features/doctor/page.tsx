import { Stethoscope } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function DoctorPage() {
  return (
    <>
      <PageHeader title="Doctor" />
      <EmptyState size="page" icon={<Stethoscope />} title="Not examined yet">
        The doctor checks git, the tools, the keys and the models.
      </EmptyState>
    </>
  );
}
