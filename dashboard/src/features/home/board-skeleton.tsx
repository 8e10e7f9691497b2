import { COLUMNS } from '@/model/board/board';
import { Skeleton } from '@/ui/skeleton';
import { BOARD_GRID } from './board';

export function BoardSkeleton() {
  return (
    <div aria-busy className={BOARD_GRID}>
      <span className="sr-only">Loading runs</span>
      {COLUMNS.map(({ id }, column) => (
        <div key={id} className="flex flex-col gap-1.5 rounded-lg md:bg-sunken/70 md:p-1.5">
          <Skeleton className="mx-1.5 my-1.5 h-3.5 w-20" />
          {Array.from({ length: 1 + (column % 2) }, (_, card) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike.
            <Skeleton key={card} className="h-20" />
          ))}
        </div>
      ))}
    </div>
  );
}
