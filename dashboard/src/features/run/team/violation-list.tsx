import { shown } from '@/lib/visible';
import { sentence } from '@/model/event/words';
import type { Violation } from '@/model/team/team-view';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import type { StatusToken } from '@/ui/tones';
import { VisibleText } from '@/ui/visible-text';
import { AgentWord } from './agent-word';
import { PlaceLink } from './place-link';

const TONES: Record<Violation['action'], StatusToken> = {
  blocked: 'failed',
  warned: 'needs-you',
  logged: 'queued',
};

type ViolationListProps = { run: string; violations: readonly Violation[] };

/** Policies that were not kept, the latest first. */
export function ViolationList({ run, violations }: ViolationListProps) {
  const blocked = violations.filter(({ action }) => action === 'blocked').length;
  return (
    <Card
      flush
      title="Guardrails"
      actions={
        <Badge tone={blocked > 0 ? 'failed' : 'needs-you'}>
          {blocked > 0 ? `${blocked} blocked` : violations.length}
        </Badge>
      }
    >
      <ol aria-label="Guardrail violations">
        {violations.toReversed().map((violation) => (
          <ViolationRow key={violation.seq} run={run} violation={violation} />
        ))}
      </ol>
    </Card>
  );
}

function ViolationRow({ run, violation }: { run: string; violation: Violation }) {
  const { agent, policy, check, severity, action, summary, sample, seq, at } = violation;
  return (
    <li className="border-t border-line px-4 py-2.5 text-sm first:border-t-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium wrap-anywhere">{shown(policy)}</span>
        <Badge tone={TONES[action]}>{action}</Badge>
        <Badge tone="outline">
          {check.replaceAll('_', ' ')}, {severity}
        </Badge>
        <AgentWord name={agent} />
        <PlaceLink run={run} seq={seq} at={at} />
      </p>
      <p className="mt-0.5 text-pretty wrap-anywhere text-muted">
        <VisibleText>{sentence(summary)}</VisibleText>
      </p>
      {sample !== '' && (
        <p className="mt-1 border-l-2 border-line-strong pl-2.5 text-xs wrap-anywhere text-muted">
          <VisibleText>{sample}</VisibleText>
        </p>
      )}
    </li>
  );
}
