import { Skeleton } from '@/ui/skeleton';

/** As high as one folded item and one open one. */
export function InboxSkeleton() {
  return (
    <div aria-busy className="divide-y divide-line">
      <span className="sr-only">Loading what needs you</span>
      {['h-28', 'h-0'].map((more) => (
        <div key={more} className="px-4 py-3">
          <div className="flex items-center gap-3">
            <Skeleton className="size-8 shrink-0 rounded-lg" />
            <div className="flex flex-1 flex-col gap-2">
              <Skeleton className="h-3.5 w-1/3" />
              <Skeleton className="h-3 w-1/2" />
            </div>
          </div>
          <div className={more} />
        </div>
      ))}
    </div>
  );
}
