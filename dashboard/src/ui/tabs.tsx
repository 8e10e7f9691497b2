import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { Badge } from '@/ui/badge';
import type { StatusToken } from '@/ui/tones';

export type Tab<Value extends string> = {
  value: Value;
  label: string;
  icon?: ReactNode;
  count?: number | undefined;
  /** Colours the count: something there wants to be seen. */
  tone?: StatusToken;
  disabled?: boolean;
};

type TabsProps<Value extends string> = {
  /** What the tabs are of, for screen readers. */
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  /** The panel of the chosen tab. */
  children: ReactNode;
  /** On the right of the tabs. */
  actions?: ReactNode;
  className?: string;
  panelClassName?: string;
};

export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, tabs, value, onChange, children, actions, className, panelClassName } = props;
  const change = (next: string) => {
    const tab = tabs.find((one) => one.value === next);
    if (tab) onChange(tab.value);
  };
  return (
    <Radix.Root
      value={value}
      onValueChange={change}
      activationMode="manual"
      className={cn('flex min-h-0 flex-col', className)}
    >
      <div className="@container flex shrink-0 items-center gap-3 border-b border-line">
        <Radix.List
          aria-label={label}
          className="scroll-quiet relative -mb-px flex min-w-0 flex-1 gap-1 overflow-x-auto [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              disabled={tab.disabled ?? false}
              className="group flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2 text-sm text-muted transition-colors hover:text-fg focus-visible:-outline-offset-2 disabled:opacity-55 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-fg [&_svg]:size-4"
            >
              {tab.icon}
              {tab.label}
              {tab.count !== undefined && (
                // The names of all tabs come before their counts.
                <Badge
                  mono
                  tone={tab.tone ?? 'neutral'}
                  className="hidden h-4.5 rounded-full @[34.5rem]:inline-flex"
                >
                  {tab.count > 999 ? '999+' : tab.count}
                </Badge>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions && <div className="flex shrink-0 items-center gap-1.5">{actions}</div>}
      </div>
      <Radix.Content
        value={value}
        className={cn('min-h-0 flex-1 focus-visible:-outline-offset-2', panelClassName)}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
