import { CircleCheck, CircleHelp, CircleMinus, CircleX } from 'lucide-react';
import type { Proposal, Vote } from '@/model/team/team-view';
import { voteCount } from '@/model/team/votes';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import type { StatusToken } from '@/ui/tones';
import { VisibleText } from '@/ui/visible-text';
import { AgentWord } from './agent-word';
import { PlaceLink } from './place-link';

type ProposalCardProps = { run: string; proposal: Proposal };

const LOOKS: Record<string, { tone: StatusToken; icon: typeof CircleX }> = {
  approve: { tone: 'done', icon: CircleCheck },
  reject: { tone: 'failed', icon: CircleX },
  abstain: { tone: 'cancelled', icon: CircleMinus },
};

/** A proposal, who voted how and why, and what came of it. */
export function ProposalCard({ run, proposal }: ProposalCardProps) {
  const { by, decision, seq, at } = proposal;
  const { silent, words } = voteCount(proposal);
  return (
    <Card flush title="Proposal" actions={<PlaceLink run={run} seq={seq} at={at} />}>
      <div className="flex flex-col gap-1.5 border-b border-line px-4 py-2.5 text-sm">
        <p className="text-pretty wrap-anywhere">
          <AgentWord name={by} /> proposes: <VisibleText>{decision}</VisibleText>
        </p>
        <p className="flex flex-wrap items-center gap-2">
          <Outcome proposal={proposal} />
          <span className="text-xs text-muted">{words}</span>
        </p>
      </div>
      <ul aria-label="Votes">
        {proposal.votes.map((vote) => (
          <VoteRow key={vote.seq} run={run} vote={vote} />
        ))}
        {silent.map((name) => (
          <li key={name} className="flex items-center gap-2 border-t border-line px-4 py-2 text-sm">
            <AgentWord name={name} />
            <Badge icon={<CircleHelp />}>{proposal.result ? 'did not vote' : 'no vote yet'}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function VoteRow({ run, vote }: { run: string; vote: Vote }) {
  const look = LOOKS[vote.vote];
  const Icon = look?.icon ?? CircleHelp;
  return (
    <li className="border-t border-line px-4 py-2 text-sm first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <AgentWord name={vote.by} />
        <Badge tone={look?.tone ?? 'neutral'} icon={<Icon />}>
          {vote.vote}
        </Badge>
        <PlaceLink run={run} seq={vote.seq} at={vote.at} />
      </p>
      {vote.reason !== '' && (
        <p className="mt-0.5 text-pretty wrap-anywhere text-muted">
          <VisibleText>{vote.reason}</VisibleText>
        </p>
      )}
    </li>
  );
}

function Outcome({ proposal: { result, decision, isReplaced } }: { proposal: Proposal }) {
  if (isReplaced) return <Badge tone="failed">rejected</Badge>;
  if (!result) return <Badge tone="running">not decided yet</Badge>;
  if (result.decision === 'rejected') return <Badge tone="failed">rejected</Badge>;
  if (result.decision === 'undecided') return <Badge tone="needs-you">undecided</Badge>;
  return (
    <Badge tone="done" title={result.decision}>
      accepted{result.decision === decision ? '' : ' with different wording'}
    </Badge>
  );
}
