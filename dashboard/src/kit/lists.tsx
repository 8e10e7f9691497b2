import { useState } from 'react';
import { Section } from '@/kit/section';
import { Button } from '@/ui/button';
import { SplitPane } from '@/ui/split-pane';
import { Tabs } from '@/ui/tabs';
import { VirtualList } from '@/ui/virtual-list';

export function Lists() {
  const [tab, setTab] = useState<'events' | 'panes' | 'diff'>('events');
  const [count, setCount] = useState(100_000);
  return (
    <Section title="Lists and panes">
      <Tabs
        label="Example"
        value={tab}
        onChange={setTab}
        className="h-96 overflow-hidden rounded-lg border border-line bg-panel px-2"
        tabs={[
          { value: 'events', label: 'Events', count },
          { value: 'panes', label: 'Panes' },
          { value: 'diff', label: 'Diff', count: 3, tone: 'needs-you' },
        ]}
        actions={
          <Button size="sm" variant="ghost" onClick={() => setCount((now) => now + 100)}>
            Add 100
          </Button>
        }
        panelClassName="py-2"
      >
        {tab === 'events' && (
          <VirtualList
            label="Events"
            className="h-80"
            count={count}
            itemKey={(index) => index}
            stickToBottom
            renderItem={(index) => (
              <div className="flex gap-3 px-2 py-1.5">
                <span className="tabular w-14 shrink-0 text-right font-mono text-xs text-subtle">
                  {index + 1}
                </span>
                <span>{'An event with words. '.repeat((index % 5) + 1)}</span>
              </div>
            )}
          />
        )}
        {tab === 'panes' && (
          <SplitPane
            name="kit"
            label="Width of the first pane"
            className="h-80"
            defaultSize={200}
            min={120}
            max={320}
            first={<p className="p-3">First</p>}
            second={<p className="p-3">Second</p>}
          />
        )}
        {tab === 'diff' && <p className="p-3 text-muted">Three files.</p>}
      </Tabs>
    </Section>
  );
}
