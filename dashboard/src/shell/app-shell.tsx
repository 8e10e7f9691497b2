import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { Outlet } from 'react-router';
import { usePalette } from '@/lib/commands';
import { isBoolean, remember, remembered } from '@/lib/storage';
import { BottomNav } from '@/shell/bottom-nav';
import type { Counts } from '@/shell/nav';
import { PageSkeleton } from '@/shell/page-skeleton';
import { PaletteLoading } from '@/shell/palette-loading';
import { RouteAnnouncer } from '@/shell/route-announcer';
import { Sidebar } from '@/shell/sidebar';
import { TopBar } from '@/shell/top-bar';
import { useAttentionSignals } from '@/shell/use-attention';
import { useCompletionNotices } from '@/shell/use-completion-notices';
import { useFocusOnNavigation } from '@/shell/use-focus-on-navigation';
import { useNavigationKeys } from '@/shell/use-navigation-keys';
import { LiveRegion } from '@/ui/live-region';

const Palette = lazy(() => import('@/shell/palette'));
const ShortcutsOverlay = lazy(() => import('@/shell/shortcuts-overlay'));

type AppShellProps = {
  /** Shown in the top bar: the state of the connection. */
  status?: ReactNode;
  /** Above every page: what has to be known about this server. */
  notice?: ReactNode;
  /** Before that, the page has to wait. */
  isReady?: boolean;
  /** How many things wait at each place. */
  counts?: Counts;
};

export function AppShell(props: AppShellProps) {
  const { status = null, notice = null, isReady = true, counts: more = {} } = props;
  const main = useRef<HTMLElement>(null);
  const [collapsed, setCollapsed] = useState(() =>
    remembered('sidebar-collapsed', isBoolean, false),
  );
  const [help, setHelp] = useState(false);
  const paletteOpen = usePalette((state) => state.open);
  const collapse = (next: boolean) => {
    setCollapsed(next);
    remember('sidebar-collapsed', next);
  };
  const attention = useAttentionSignals();
  useCompletionNotices();
  const counts = { ...attention.counts, ...more };
  useFocusOnNavigation(main);
  useNavigationKeys({ onHelp: () => setHelp(true), onToggleSidebar: () => collapse(!collapsed) });

  return (
    <div className="flex h-full flex-col">
      <a
        href="#main"
        className="sr-only z-80 rounded-md bg-accent px-3 py-2 text-accent-fg focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <div className="flex min-h-0 flex-1">
        <Sidebar
          counts={counts}
          collapsed={collapsed}
          onCollapse={collapse}
          onHelp={() => setHelp(true)}
        />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar status={status} />
          {notice}
          <main
            id="main"
            ref={main}
            tabIndex={-1}
            className="relative min-h-0 flex-1 overflow-y-auto outline-none"
          >
            <Suspense fallback={<PageSkeleton />}>
              {isReady ? <Outlet /> : <PageSkeleton />}
            </Suspense>
          </main>
        </div>
      </div>
      <BottomNav counts={counts} />
      <RouteAnnouncer />
      <LiveRegion message={attention.announcement} />
      <Suspense fallback={<PaletteLoading />}>{paletteOpen && <Palette />}</Suspense>
      {/* Keys that are pressed before it is loaded are not for the page behind it. */}
      <Suspense fallback={<span data-modal hidden />}>
        {help && <ShortcutsOverlay onClose={() => setHelp(false)} />}
      </Suspense>
    </div>
  );
}
