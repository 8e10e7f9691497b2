import { Skeleton } from '@/ui/skeleton';

const columns = [2, 1, 3, 1, 2];

export function BoardSkeleton() {
  return (
    <div aria-busy className="flex flex-col gap-2.5 md:min-h-80 md:flex-row">
      <span className="sr-only">Loading runs</span>
      {columns.map((cards, column) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place.
          key={column}
          className="flex flex-1 flex-col gap-1.5 rounded-lg md:bg-sunken/70 md:p-1.5"
        >
          <Skeleton className="mx-1.5 my-1.5 h-3.5 w-20" />
          {Array.from({ length: cards }, (_, card) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike.
            <Skeleton key={card} className="h-20" />
          ))}
        </div>
      ))}
    </div>
  );
}
