import { ArrowRight } from 'lucide-react';
import { formatDuration } from '@/lib/format';
import { millis } from '@/model/event/event';
import type { Delegation } from '@/model/team/team-view';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { VisibleText } from '@/ui/visible-text';
import { AgentWord } from './agent-word';
import { PlaceLink } from './place-link';

type DelegationListProps = { run: string; delegations: readonly Delegation[] };

/** Tasks that agents gave to others, in their order. */
export function DelegationList({ run, delegations }: DelegationListProps) {
  const open = delegations.filter(({ returned }) => returned === null).length;
  const count = open > 0 ? `${open} of ${delegations.length} open` : delegations.length;
  return (
    <Card flush title="Delegations" actions={<Badge>{count}</Badge>}>
      <ol aria-label="Delegations">
        {delegations.map((delegation) => (
          <DelegationRow key={delegation.seq} run={run} delegation={delegation} />
        ))}
      </ol>
    </Card>
  );
}

function DelegationRow({ run, delegation }: { run: string; delegation: Delegation }) {
  const { from, to, task, returned, seq, at } = delegation;
  return (
    <li className="border-t border-line px-4 py-2.5 text-sm first:border-t-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <AgentWord name={from} />
        <ArrowRight className="size-3.5 shrink-0 text-subtle" aria-label="to" />
        <AgentWord name={to} />
        {returned ? (
          <Badge tone="done">
            returned after {formatDuration(millis(returned.at) - millis(at))}
          </Badge>
        ) : (
          <Badge tone="running">not returned yet</Badge>
        )}
        <PlaceLink run={run} seq={seq} at={at} />
      </p>
      <p className="mt-0.5 text-pretty wrap-anywhere text-muted">
        <VisibleText>{task}</VisibleText>
      </p>
    </li>
  );
}
