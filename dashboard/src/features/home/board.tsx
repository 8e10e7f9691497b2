import { boardOf, FOLDS_AT_REST } from '@/model/board/board';
import { isAtWork } from '@/model/board/waiting';
import type { RunSummary } from '@/wire/RunSummary';
import { BoardColumn } from './board-column';

type BoardProps = { runs: readonly RunSummary[]; onShowAll: (status: string) => void };

/** Every run by the stage that it is at. On a phone, one list grouped by stage. */
export function Board({ runs, onShowAll }: BoardProps) {
  // What is at work comes and goes between these: they do not open and close under it.
  const isMoving = runs.some(isAtWork);
  return (
    <div className="scroll-quiet relative -mx-3 overflow-x-auto px-3 pb-2 md:-mx-5 md:px-5">
      <div className="flex flex-col gap-4 md:min-h-80 md:flex-row md:gap-2">
        {boardOf(runs).map((column) => (
          <BoardColumn
            key={column.id}
            {...column}
            isFoldable={!isMoving || !FOLDS_AT_REST.has(column.id)}
            onShowAll={onShowAll}
          />
        ))}
      </div>
    </div>
  );
}
