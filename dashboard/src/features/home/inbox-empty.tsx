import { CircleCheck } from 'lucide-react';
import { plural } from '@/lib/format';

type InboxEmptyProps = { atWork: number };

export function InboxEmpty({ atWork }: InboxEmptyProps) {
  return (
    <div className="flex items-center gap-3.5 px-4 py-5">
      <span
        aria-hidden
        className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-done-soft text-done"
      >
        <CircleCheck className="size-5" />
      </span>
      <div>
        <p className="font-semibold">Nothing needs you</p>
        <p className="text-muted">
          {atWork > 0
            ? `${plural(atWork, 'run is', 'runs are')} in progress. Questions and plans appear here.`
            : 'Plans to approve, questions and failures appear here.'}
        </p>
      </div>
    </div>
  );
}
