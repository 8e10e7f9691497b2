import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';

/** The page's own shape while the run is asked for. */
export function RunSkeleton() {
  return (
    <div aria-busy className="flex h-full flex-col">
      <PageHeader title="Run" />
      <span className="sr-only">Loading the run</span>
      <div className="flex h-9 shrink-0 items-center gap-4 border-b border-line px-5">
        <Skeleton className="h-3 w-20" />
        <Skeleton className="h-3 w-28" />
        <Skeleton className="h-3 w-16" />
      </div>
      <div className="flex min-h-0 flex-1">
        <div className="hidden w-58 shrink-0 border-r border-line p-6 xl:block">
          <Skeleton className="h-96" />
        </div>
        <div className="min-w-0 flex-1 p-4">
          <Skeleton className="h-9" />
          <Skeleton lines={8} className="mt-4" />
        </div>
        <div className="hidden w-140 shrink-0 border-l border-line p-4 md:block">
          <Skeleton className="h-8" />
          <Skeleton lines={6} className="mt-4" />
        </div>
      </div>
    </div>
  );
}
