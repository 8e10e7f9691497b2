import { Link } from 'react-router';
import { cn } from '@/lib/cn';
import type { Standing } from '@/model/standing';
import { Button } from '@/ui/button';
import { StatusDot } from '@/ui/status-dot';
import { TimeAgo } from '@/ui/time-ago';
import { statusTones } from '@/ui/tones';
import type { RunDetail } from '@/wire/RunDetail';
import { ActionIcon } from './action-icon';
import { AnswerForm } from './answer-form';
import type { ActionId, RunAction } from './use-run-actions';
import { whyInWords } from './why-words';

type WhyStripProps = { detail: RunDetail; standing: Standing; actions: RunAction[] };

/** What unblocks it, the most likely first. */
const MAIN: ActionId[] = ['approve', 'limits', 'retry', 'resume', 'continue', 'start', 'step'];

/** Why the run stands still, and what moves it on. Nothing while it works. */
export function WhyStrip({ detail, standing, actions }: WhyStripProps) {
  const words = whyInWords(detail, standing);
  if (!words) return null;
  const question = detail.pending_requests.find(({ kind }) => kind !== 'approval');
  const offers = MAIN.flatMap((id) => actions.filter((action) => action.id === id));
  const asks = standing.waiting === 'approval';
  return (
    <section
      aria-label="Why the run waits"
      className={cn(
        'shrink-0 border-b border-line px-3 py-2 md:px-5',
        statusTones[standing.tone].soft,
      )}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <StatusDot status={standing.tone} live={false} className="mt-1.5" />
          <p className="min-w-0 text-sm text-pretty wrap-anywhere whitespace-pre-line">
            <span className={cn('font-semibold', statusTones[standing.tone].text)}>
              {words.title}
            </span>{' '}
            {words.message}
            {detail.why?.since && (
              <TimeAgo at={detail.why.since} className="ml-1.5 text-xs text-muted" />
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {offers.map((action, index) => (
            <Button
              key={action.id}
              size="sm"
              variant={index === 0 ? 'primary' : 'secondary'}
              icon={<ActionIcon id={action.id} />}
              loading={action.isPending}
              onClick={action.run}
              {...(action.keys ? { shortcut: action.keys } : {})}
            >
              {action.id === 'approve' ? 'Approve' : action.label}
            </Button>
          ))}
          {asks && (
            <>
              <Button
                size="sm"
                shortcut="r"
                icon={<ActionIcon id="reject" />}
                onClick={actions.find(({ id }) => id === 'reject')?.run}
              >
                Reject
              </Button>
              <Button asChild size="sm" variant="link">
                <Link to={`/runs/${detail.id}/plan`}>Review the plan</Link>
              </Button>
            </>
          )}
        </div>
      </div>
      {question && standing.waiting === question.kind && words.isAnswered && (
        <AnswerForm run={detail.id} question={question} />
      )}
    </section>
  );
}
