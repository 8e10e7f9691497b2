// The settings: a list of places on the left, each a page of its own, loaded when it is opened.
import { type ComponentType, lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { SettingsNav } from '@/features/settings/parts/settings-nav';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { PageHeader } from '@/ui/page-header';

type PageModule = { default: ComponentType };

function part(path: string, load: () => Promise<PageModule>) {
  const Page = lazy(load);
  return <Route path={path} element={<Page />} />;
}

const parts = (
  <>
    <Route index element={<Navigate to="profiles" replace />} />
    {part('profiles', () => import('@/features/settings/profiles/profiles-page'))}
    {part('profiles/:name', () => import('@/features/settings/profiles/profile-page'))}
    {part('agents', () => import('@/features/settings/agents/agents-page'))}
    {part('prompts', () => import('@/features/settings/prompts/prompts-page'))}
    {part('prompts/:name', () => import('@/features/settings/prompts/prompt-page'))}
    {part('budgets', () => import('@/features/settings/budgets/budgets-page'))}
    {part('server', () => import('@/features/settings/server/server-page'))}
    {part('tokens', () => import('@/features/settings/tokens/tokens-page'))}
    {part('look', () => import('@/features/settings/look/look-page'))}
    <Route path="*" element={<Navigate to="/settings/profiles" replace />} />
  </>
);

export default function SettingsPage() {
  return (
    <div className="flex min-h-full flex-col md:flex-row">
      <SettingsNav />
      <div className="min-w-0 flex-1">
        <Suspense
          fallback={
            <>
              <PageHeader title="Settings" />
              <SettingsSkeleton />
            </>
          }
        >
          <Routes>{parts}</Routes>
        </Suspense>
      </div>
    </div>
  );
}
