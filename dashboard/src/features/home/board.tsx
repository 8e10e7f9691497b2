import { boardOf } from '@/model/board/board';
import { AgentGroup } from '@/ui/agent-group';
import { AgentLegend } from '@/ui/agent-legend';
import type { RunSummary } from '@/wire/RunSummary';
import { BoardColumn } from './board-column';

type BoardProps = { runs: readonly RunSummary[]; onShowAll: (status: string) => void };

/**
 * The columns, equally wide with any content: runs move, columns do not. All seven in one row where that leaves each
 * 8.5rem (at 1280 pixels beside the sidebar); on more rows where it does not. On a phone, a list.
 */
export const BOARD_GRID =
  'flex flex-col gap-4 md:grid md:min-h-80 md:gap-2 md:grid-cols-[repeat(auto-fill,minmax(max(8.5rem,(100%-3.25rem)/7),1fr))]';

/** Every run by the stage that it is at. On a phone, one list grouped by stage. */
export function Board({ runs, onShowAll }: BoardProps) {
  const agents = runs.flatMap((run) => run.agents);
  return (
    <AgentGroup agents={agents}>
      <div className={BOARD_GRID}>
        {boardOf(runs).map((column) => (
          <BoardColumn key={column.id} {...column} onShowAll={onShowAll} />
        ))}
      </div>
      {/* On a phone, the cards have room for the names. */}
      <AgentLegend
        label="Agents on the cards"
        agents={agents}
        className="flex flex-wrap max-md:hidden"
      />
    </AgentGroup>
  );
}
