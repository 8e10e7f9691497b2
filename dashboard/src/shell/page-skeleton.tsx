import { Skeleton } from '@/ui/skeleton';

/** While a page's code arrives. */
export function PageSkeleton() {
  return (
    <div aria-busy className="flex flex-col gap-4 p-5">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-5 w-48" />
      <Skeleton className="h-24" />
      <Skeleton className="h-48" />
    </div>
  );
}
