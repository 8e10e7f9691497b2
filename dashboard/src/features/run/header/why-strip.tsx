import { cn } from '@/lib/cn';
import type { InboxItem } from '@/model/inbox/inbox';
import type { RunState } from '@/model/run/run-state';
import { Button } from '@/ui/button';
import { statusTones } from '@/ui/tones';
import type { RunDetail } from '@/wire/RunDetail';
import { ActionIcon } from './action-icon';
import { notStarted } from './not-started';
import { PendingItem } from './pending-item';
import type { RunAction } from './use-run-actions';
import { WhyLine } from './why-line';

type WhyStripProps = {
  detail: RunDetail;
  runState: RunState;
  actions: RunAction[];
  asked: readonly InboxItem[];
};

/** Why the run stands still, and what moves it on. Nothing while it works. */
export function WhyStrip({ detail, runState, actions, asked }: WhyStripProps) {
  const words = notStarted(detail, runState);
  const start = actions.find(({ id }) => id === 'start');
  if (asked.length === 0 && !words) return null;
  return (
    <section
      aria-label="Why this run is waiting"
      className={cn(
        'relative flex max-h-[60dvh] shrink-0 flex-col gap-3 overflow-y-auto border-b border-line px-3 py-2 md:px-5',
        statusTones[runState.tone].soft,
      )}
    >
      {asked.map((item, index) => (
        <PendingItem
          key={item.id}
          item={item}
          tone={runState.tone}
          failure={item.kind === 'failed' || item.kind === 'key' ? runState.failure : null}
          hasKeys={index === 0}
        />
      ))}
      {words && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <WhyLine tone={runState.tone} {...words} />
          {start && (
            <Button
              size="sm"
              variant="primary"
              icon={<ActionIcon id="start" />}
              loading={start.isPending}
              onClick={start.run}
            >
              {start.label}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
