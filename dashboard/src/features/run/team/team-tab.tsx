import { Users } from 'lucide-react';
import { useMemo } from 'react';
import { membersOf, rosterOf } from '@/model/team/roster';
import { AgentGroup } from '@/ui/agent-group';
import { EmptyState } from '@/ui/empty-state';
import { LogStates } from '../log-states';
import type { TabProps } from '../tab';
import { useSlowLog } from '../use-slow-log';
import { AgentRows } from './agent-rows';
import { DelegationList } from './delegation-list';
import { HandoffList } from './handoff-list';
import { LaneCard } from './lane-card';
import { ProposalCard } from './proposal-card';
import { TeamGraphCard } from './team-graph-card';
import { TeamPlan } from './team-plan';
import { useTeamView } from './use-team-view';
import { ViolationList } from './violation-list';

/** A team at work: its agents, and what went on between them, as of `at`. */
export default function TeamTab({ id, at }: TabProps) {
  const state = useSlowLog(id);
  const { log } = state;
  const count = at === null ? log.events.length : log.indexAfter(at);
  const roster = useMemo(() => rosterOf(log.events.slice(0, count)), [log, count]);
  const view = useTeamView(log, at);
  if (!roster)
    return (
      <LogStates state={state}>
        <EmptyState icon={<Users />} title="No team">
          This run has no team. For a run of a team, this tab shows its agents.
        </EmptyState>
      </LogStates>
    );
  const { proposals, forks, handoffs, delegations, violations } = view;
  return (
    <AgentGroup agents={membersOf(roster).map(({ name }) => name)}>
      <div className="@container flex flex-col gap-4 p-3 md:p-4">
        <TeamGraphCard roster={roster} view={view} />
        {violations.length > 0 && <ViolationList run={id} violations={violations} />}
        {proposals.toReversed().map((proposal) => (
          <ProposalCard key={proposal.seq} run={id} proposal={proposal} />
        ))}
        {forks.toReversed().map((fork) => (
          <LaneCard key={fork.seq} run={id} fork={fork} view={view} />
        ))}
        <TeamPlan id={id} at={at} />
        <AgentRows run={id} roster={roster} view={view} />
        {delegations.length > 0 && <DelegationList run={id} delegations={delegations} />}
        {handoffs.length > 0 && <HandoffList run={id} handoffs={handoffs} />}
      </div>
    </AgentGroup>
  );
}
