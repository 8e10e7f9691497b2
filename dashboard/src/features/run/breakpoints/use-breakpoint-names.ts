import { useRunLog } from '@/api/run-log';
import { useGraph } from '@/api/runs';
import { readPipeline } from '@/model/run/pipeline';
import type { BreakpointKind } from '@/model/team/breakpoints';
import { membersOf, rosterOf } from '@/model/team/roster';
import type { RunDetail } from '@/wire/RunDetail';

/** What can be named in a breakpoint of a kind, as far as it is known. */
export type BreakpointNames = Partial<Record<BreakpointKind, readonly string[]>>;

const LOG_INTERVAL_MS = 1_000;

export function useBreakpointNames(detail: RunDetail): BreakpointNames {
  const { id, usage_by_agent } = detail;
  const { log } = useRunLog(id, LOG_INTERVAL_MS);
  const drawing = useGraph(id).data?.graph;
  const roster = rosterOf(log.events);
  const members = roster ? membersOf(roster).map(({ name }) => name) : [];
  return {
    node: drawing ? readPipeline(drawing).nodes : [],
    agent: [...new Set([...members, ...Object.keys(usage_by_agent)])],
  };
}
