import { formatMoney, formatTokens, plural } from '@/lib/format';
import type { AgentActivity } from '@/model/team/agent-activity';
import { type Member, membersOf, type Roster } from '@/model/team/roster';
import type { TeamView } from '@/model/team/team-view';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { Card } from '@/ui/card';
import { StatusBadge } from '@/ui/status-badge';
import { VisibleText } from '@/ui/visible-text';
import { SeqLink } from '../seq-link';
import { STATE_TONES, STATE_WORDS } from './agent-look';

type AgentRowsProps = { run: string; roster: Roster; view: TeamView };

/** Every agent: what it is for, what it does, and how much it has done. */
export function AgentRows({ run, roster, view }: AgentRowsProps) {
  return (
    <Card flush title="Agents">
      <ul aria-label="Agents of the team">
        {membersOf(roster).map((member) => (
          <AgentRow
            key={member.name}
            run={run}
            member={member}
            activity={view.agents.get(member.name) ?? null}
          />
        ))}
      </ul>
    </Card>
  );
}

type AgentRowProps = { run: string; member: Member; activity: AgentActivity | null };

function AgentRow({ run, member, activity }: AgentRowProps) {
  const { name, role, team } = member;
  const tone = activity && STATE_TONES[activity.state];
  return (
    <li className="flex items-start gap-2.5 border-t border-line px-4 py-2.5 first:border-t-0">
      <AgentAvatar agent={agentToken(name)} name={name} live={activity?.state === 'working'} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
          <span className="font-medium">{name}</span>
          <span className="text-xs text-muted">
            <VisibleText>{role}</VisibleText>
            {team !== null && ` (team ${team})`}
          </span>
        </p>
        {activity && activity.last !== '' && (
          <SeqLink
            run={run}
            seq={activity.lastSeq}
            className="block truncate rounded-sm text-xs text-muted hover:text-fg hover:underline"
          >
            <VisibleText>{activity.last}</VisibleText>
          </SeqLink>
        )}
        {activity && activity.turns > 0 && <Counts activity={activity} />}
      </div>
      {activity && tone && (
        <StatusBadge status={tone} live={activity.state === 'working'}>
          {STATE_WORDS[activity.state]}
        </StatusBadge>
      )}
    </li>
  );
}

function Counts({ activity: { turns, calls, spend } }: { activity: AgentActivity }) {
  const counts = [
    plural(turns, 'turn'),
    calls > 0 ? plural(calls, 'call') : '',
    `${formatTokens(spend.tokens)} tokens`,
    spend.usd > 0 ? formatMoney(spend.usd) : '',
  ];
  return (
    <p className="tabular mt-0.5 text-2xs text-subtle">
      {counts.filter((count) => count !== '').join(' · ')}
    </p>
  );
}
