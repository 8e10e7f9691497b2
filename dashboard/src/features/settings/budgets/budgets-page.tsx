import { useState } from 'react';
import { useProfiles, useServerValues, useSettings } from '@/api/settings';
import { BudgetTable } from '@/features/settings/budgets/budget-table';
import { type EditedLimit, EditLimitDialog } from '@/features/settings/budgets/edit-limit-dialog';
import { Notice } from '@/features/settings/parts/notice';
import { QueryError } from '@/features/settings/parts/query-error';
import { RestartNotice } from '@/features/settings/parts/restart-notice';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { PageHeader } from '@/ui/page-header';

export default function BudgetsPage() {
  const settings = useSettings();
  const profiles = useProfiles();
  const values = useServerValues();
  const [edited, setEdited] = useState<EditedLimit | null>(null);
  const error = settings.error ?? profiles.error;
  const waiting = (values.data ?? []).filter(
    (value) => value.key.startsWith('budgets') && value.next !== null,
  );
  return (
    <>
      <PageHeader title="Budgets" />
      {(settings.isPending || profiles.isPending) && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="Could not load budgets"
          error={error}
          onRetry={() => {
            void settings.refetch();
            void profiles.refetch();
          }}
          retrying={settings.isFetching || profiles.isFetching}
        />
      )}
      {settings.data && profiles.data && (
        <SettingsSection intro="How much a run may spend before it stops and asks you. The server’s and the profile’s limits both apply; the lower one wins. Click a value to change it.">
          {waiting.length > 0 && <RestartNotice count={waiting.length} />}
          {values.error && (
            <Notice tone="warning" title="The server’s limits cannot be changed from here">
              {values.error.message}. A profile’s can.
            </Notice>
          )}
          <BudgetTable
            server={settings.data.server.budgets}
            profiles={profiles.data}
            onEdit={setEdited}
          />
        </SettingsSection>
      )}
      {edited && (
        <EditLimitDialog
          edited={edited}
          values={values.data ?? null}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}
