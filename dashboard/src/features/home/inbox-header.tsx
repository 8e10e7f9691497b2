import type { InboxItem } from '@/model/inbox/inbox';
import { Kbd } from '@/ui/kbd';
import { DismissAll } from './dismiss-all';
import { NotifyOffer } from './notify-offer';

type InboxHeaderProps = { items: readonly InboxItem[] };

export function InboxHeader({ items }: InboxHeaderProps) {
  const count = items.length;
  return (
    <div className="mb-2 flex h-8 items-center gap-2">
      <h2 id="needs-you" className="text-base font-semibold tracking-tight">
        Needs you
      </h2>
      {count > 0 && (
        <span className="tabular rounded-full bg-needs-you-soft px-2 text-xs leading-5 font-semibold text-needs-you">
          {count}
        </span>
      )}
      <span className="ml-auto flex items-center gap-1.5">
        {count > 1 && (
          <span className="flex items-center gap-1.5 mr-1.5 text-xs text-subtle max-md:hidden">
            <Kbd keys="j" />
            <Kbd keys="k" />
            to move
          </span>
        )}
        <DismissAll items={items} />
        <NotifyOffer />
      </span>
    </div>
  );
}
