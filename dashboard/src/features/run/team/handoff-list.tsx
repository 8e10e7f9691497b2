import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { plural } from '@/lib/format';
import type { Handoff } from '@/model/team/team-view';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { CodeBlock } from '@/ui/code-block';
import { VisibleText } from '@/ui/visible-text';
import { AgentWord } from './agent-word';
import { PlaceLink } from './place-link';

/** The reason of a handoff that no agent gave. */
const RULE = 'rule';
/** More are shown on request. */
const MAX_SHOWN = 50;

type HandoffListProps = { run: string; handoffs: readonly Handoff[] };

/** Who handed to whom, and why; the latest first. */
export function HandoffList({ run, handoffs }: HandoffListProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? handoffs : handoffs.slice(-MAX_SHOWN);
  const hidden = handoffs.length - shown.length;
  return (
    <Card
      flush
      title="Handoffs"
      actions={<Badge>{handoffs.length}</Badge>}
      {...(hidden > 0
        ? {
            footer: (
              <Button size="sm" variant="ghost" onClick={() => setWhole(true)}>
                Show {plural(hidden, 'earlier handoff')}
              </Button>
            ),
          }
        : {})}
    >
      <ol aria-label="Handoffs">
        {shown.toReversed().map((handoff) => (
          <HandoffRow key={handoff.seq} run={run} handoff={handoff} />
        ))}
      </ol>
    </Card>
  );
}

function HandoffRow({ run, handoff }: { run: string; handoff: Handoff }) {
  const { from, to, reason, context, kind, seq, at } = handoff;
  return (
    <li className="border-t border-line px-4 py-2.5 text-sm first:border-t-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <AgentWord name={from} />
        <ArrowRight className="size-3.5 shrink-0 text-subtle" aria-label="to" />
        <AgentWord name={to} />
        {kind === 'parallel' && <Badge>at the same time</Badge>}
        <PlaceLink run={run} seq={seq} at={at} />
      </p>
      {reason === RULE && (
        <p className="mt-0.5 text-muted">Decided by a handoff rule of the team.</p>
      )}
      {reason !== '' && reason !== RULE && (
        <p className="mt-0.5 text-pretty wrap-anywhere text-muted">
          <VisibleText>{reason}</VisibleText>
        </p>
      )}
      {context !== '' && <CodeBlock code={context} language="json" className="mt-1.5" />}
    </li>
  );
}
