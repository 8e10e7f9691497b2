import { Monitor, Moon, Sun } from 'lucide-react';
import { EditorCard } from '@/features/settings/look/editor-card';
import { NotificationsCard } from '@/features/settings/look/notifications-card';
import { ShortcutsCard } from '@/features/settings/look/shortcuts-card';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { setTheme, useTheme } from '@/lib/theme';
import { Card } from '@/ui/card';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';

export default function LookPage() {
  const theme = useTheme((state) => state.theme);
  return (
    <>
      <PageHeader title="Appearance" />
      <SettingsSection intro="How the dashboard looks and behaves. These settings are stored in this browser only.">
        <Card title="Theme">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-60 flex-1 text-muted">Light, dark, or the same as your system.</p>
            <SegmentedControl
              label="Theme"
              value={theme}
              onChange={setTheme}
              segments={[
                { value: 'light', label: 'Light', icon: <Sun /> },
                { value: 'dark', label: 'Dark', icon: <Moon /> },
                { value: 'system', label: 'System', icon: <Monitor /> },
              ]}
            />
          </div>
        </Card>
        <EditorCard />
        <NotificationsCard />
        <ShortcutsCard />
      </SettingsSection>
    </>
  );
}
