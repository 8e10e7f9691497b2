import { Skeleton } from '@/ui/skeleton';

/** The page before its numbers are there, with the same sizes. */
export function UsageSkeleton() {
  return (
    <div aria-busy className="flex flex-col gap-4">
      <span className="sr-only">Loading usage</span>
      <Skeleton className="h-24 rounded-lg" />
      <Skeleton className="h-92 rounded-lg" />
      <div className="grid gap-4 xl:grid-cols-2">
        <Skeleton className="h-56 rounded-lg" />
        <Skeleton className="h-56 rounded-lg" />
      </div>
    </div>
  );
}
