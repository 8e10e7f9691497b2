import { Settings } from 'lucide-react';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <EmptyState size="page" icon={<Settings />} title="Settings">
        Profiles, agents, prompts, budgets, the server and its tokens.
      </EmptyState>
    </>
  );
}
