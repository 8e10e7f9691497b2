import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

export type KeyValueItem = { label: string; value: ReactNode; mono?: boolean };

type KeyValueProps = { items: readonly KeyValueItem[]; className?: string };

export function KeyValue({ items, className }: KeyValueProps) {
  return (
    <dl className={cn('grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5', className)}>
      {items.map((item) => (
        <div key={item.label} className="contents">
          <dt className="text-muted">{item.label}</dt>
          <dd className={cn('wrap-anywhere', item.mono && 'tabular font-mono text-xs leading-5')}>
            {item.value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
