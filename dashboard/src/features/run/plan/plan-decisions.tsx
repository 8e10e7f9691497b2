import { shown } from '@/lib/visible';
import type { QuestionFact } from '@/model/run/facts';
import { TimeAgo } from '@/ui/time-ago';
import type { HumanReply } from '@/wire/log/HumanReply';

type PlanDecisionsProps = { decisions: QuestionFact[] };

export function PlanDecisions({ decisions }: PlanDecisionsProps) {
  return (
    <ol className="flex flex-col gap-2">
      {decisions.map(({ request, reply }) => (
        <li key={request.id} className="border-l-2 border-line-strong pl-2.5 text-sm">
          {reply ? (
            <>
              {decisionWord(reply)} <TimeAgo at={reply.at} className="text-muted" />
              {reply.message && (
                <p className="mt-0.5 max-h-40 overflow-y-auto text-xs wrap-anywhere whitespace-pre-wrap text-muted">
                  {shown(reply.message)}
                </p>
              )}
            </>
          ) : (
            <>
              Waits for you, asked <TimeAgo at={request.at} className="text-muted" />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

/** `Approved by Ada`, `Changes requested`. */
export function decisionWord({ action, by, updates }: HumanReply): string {
  const who = by ? ` by ${shown(by)}` : '';
  if (action === 'timed_out') return 'No answer in time';
  if (action === 'reject') return `Changes requested${who}`;
  return `${action === 'modify' || updates != null ? 'Approved, edited,' : 'Approved'}${who}`;
}
