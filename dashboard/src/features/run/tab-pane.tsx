import { memo, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { centre } from '@/lib/centre';
import { cn } from '@/lib/cn';
import { Skeleton } from '@/ui/skeleton';
import { type Tab, Tabs } from '@/ui/tabs';
import type { TabProps } from './tab';
import { type TabName, tabs, tabsOf } from './tabs';

type TabPaneProps = {
  id: string;
  at: number | null;
  counts: Partial<Record<TabName, number>>;
  /** Which tab is open at first. */
  usual: TabName;
  /** A team works on it: it has other tabs. */
  isTeam: boolean;
  /** On a narrow screen what stands beside the tabs elsewhere is in tabs, too. */
  narrow: NarrowTabs | null;
};

export type NarrowTabs = {
  stream: ReactNode;
  pipeline: ReactNode;
  /** Beside the tabs while the stream is shown. */
  actions: ReactNode;
};

type PaneTab = TabName | 'stream' | 'pipeline';

export const TabPane = memo(function TabPane({
  id,
  at,
  counts,
  usual,
  isTeam,
  narrow,
}: TabPaneProps) {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('tab');
  const names = tabsOf(isTeam);
  const first: PaneTab = narrow ? 'stream' : usual;
  const known = names.find((name) => name === wanted);
  const isPipeline = narrow !== null && wanted === 'pipeline';
  const shown: PaneTab = isPipeline ? 'pipeline' : (known ?? first);
  const list: Tab<PaneTab>[] = names.map((name) => ({
    value: name,
    label: tabs[name].label,
    count: counts[name] || undefined,
  }));
  if (narrow)
    list.unshift({ value: 'stream', label: 'Stream' }, { value: 'pipeline', label: 'Pipeline' });
  const change = (name: PaneTab) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (name === first) next.delete('tab');
        else next.set('tab', name);
        return next;
      },
      { preventScrollReset: true },
    );
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is brought into view.
  useEffect(() => {
    const row = frame.current?.querySelector('[role="tablist"]');
    centre(row, '[role="tab"][data-state="active"]');
  }, [shown]);
  return (
    <div ref={frame} className="h-full">
      <Tabs
        label="Run details"
        tabs={list}
        value={shown}
        onChange={change}
        actions={shown === 'stream' && narrow?.actions}
        className="h-full [&>div:first-child]:px-2 [&>div:first-child]:min-h-10"
        panelClassName={cn(
          'min-h-0',
          shown === 'stream' ? 'overflow-hidden' : 'relative overflow-y-auto',
        )}
      >
        {shown === 'stream' || shown === 'pipeline' ? (
          narrow?.[shown]
        ) : (
          <Panel name={shown} id={id} at={at} />
        )}
      </Tabs>
    </div>
  );
});

const Panel = memo(function Panel({ name, id, at }: TabProps & { name: TabName }) {
  const View = tabs[name].view;
  return (
    <Suspense fallback={<Skeleton lines={6} className="p-4" />}>
      <View id={id} at={at} />
    </Suspense>
  );
});
