import { cn } from '@/lib/cn';
import type { InboxItem } from '@/model/inbox/inbox';
import type { Standing } from '@/model/run/standing';
import { Button } from '@/ui/button';
import { statusTones } from '@/ui/tones';
import type { RunDetail } from '@/wire/RunDetail';
import { ActionIcon } from './action-icon';
import { AskedItem } from './asked-item';
import type { RunAction } from './use-run-actions';
import { WhyLine } from './why-line';
import { notStarted } from './why-words';

type WhyStripProps = {
  detail: RunDetail;
  standing: Standing;
  actions: RunAction[];
  asked: readonly InboxItem[];
};

/** Why the run stands still, and what moves it on. Nothing while it works. */
export function WhyStrip({ detail, standing, actions, asked }: WhyStripProps) {
  const words = notStarted(detail, standing);
  const start = actions.find(({ id }) => id === 'start');
  if (asked.length === 0 && !words) return null;
  return (
    <section
      aria-label="Why this run is waiting"
      className={cn(
        'flex max-h-[60dvh] shrink-0 flex-col gap-3 overflow-y-auto border-b border-line px-3 py-2 md:px-5',
        statusTones[standing.tone].soft,
      )}
    >
      {asked.map((item, index) => (
        <AskedItem
          key={item.id}
          item={item}
          tone={standing.tone}
          failure={item.kind === 'failed' ? standing.failure : null}
          hasKeys={index === 0}
        />
      ))}
      {words && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <WhyLine tone={standing.tone} {...words} />
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
