import { Skeleton } from '@/ui/skeleton';

/** While a part of the settings is on its way. */
export function SettingsSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="flex max-w-250 flex-col gap-4 px-4 py-5 md:px-6"
    >
      <Skeleton className="h-5 w-72" />
      <Skeleton className="h-40" />
      <Skeleton className="h-40" />
    </div>
  );
}
