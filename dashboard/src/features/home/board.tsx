import { boardOf } from '@/model/board/board';
import type { RunSummary } from '@/wire/RunSummary';
import { BoardColumn } from './board-column';

type BoardProps = { runs: readonly RunSummary[]; onShowAll: (status: string) => void };

/** All columns in one row, equally wide whatever is in them: runs move, columns do not. On a phone, a list. */
export const BOARD_ROW =
  'flex flex-col gap-4 md:grid md:min-h-80 md:auto-cols-[minmax(9.25rem,1fr)] md:grid-flow-col md:gap-2';

/** Every run by the stage that it is at. On a phone, one list grouped by stage. */
export function Board({ runs, onShowAll }: BoardProps) {
  return (
    <div className="scroll-quiet relative -mx-3 overflow-x-auto px-3 pb-2 md:-mx-5 md:px-5">
      <div className={BOARD_ROW}>
        {boardOf(runs).map((column) => (
          <BoardColumn key={column.id} {...column} onShowAll={onShowAll} />
        ))}
      </div>
    </div>
  );
}
