import { Link, useNavigate } from 'react-router';
import { cn } from '@/lib/cn';
import { shown } from '@/lib/visible';
import { toneOf } from '@/model/board/board';
import { isAtWork, whyItWaits } from '@/model/board/waiting';
import { statusWord } from '@/model/run/status-token';
import { CodedText } from '@/ui/coded-text';
import { StatusBadge } from '@/ui/status-badge';
import { TimeAgo } from '@/ui/time-ago';
import type { RunSummary } from '@/wire/RunSummary';
import { Spend } from './spend';

type RunRowProps = { run: RunSummary; index: number };

const cell = 'h-[41px] border-b border-line px-3 first:pl-4 last:pr-4';

export function RunRow({ run, index }: RunRowProps) {
  const navigate = useNavigate();
  const said = isAtWork(run) ? run.activity?.text : whyItWaits(run);
  return (
    <tr
      aria-rowindex={index + 2}
      className="cursor-pointer hover:bg-hover/60"
      onClick={() => void navigate(`/runs/${run.id}`)}
    >
      <td className={cell}>
        <StatusBadge status={toneOf(run)}>{statusWord(run.status, run.merged)}</StatusBadge>
      </td>
      <td className={cn(cell, 'truncate font-mono text-xs text-muted max-lg:hidden')}>
        {run.issue_id}
      </td>
      <td className={cell}>
        <div className="flex min-w-0 items-baseline gap-2">
          <Link
            to={`/runs/${run.id}`}
            onClick={(event) => event.stopPropagation()}
            className="min-w-0 truncate font-medium hover:underline md:max-w-[60%] md:shrink-0"
          >
            {shown(run.title)}
          </Link>
          {said && (
            <span className="min-w-0 flex-1 truncate text-xs text-muted max-md:hidden" title={said}>
              <CodedText>{said}</CodedText>
            </span>
          )}
        </div>
      </td>
      <td className={cn(cell, 'truncate text-muted max-xl:hidden')}>{run.profile}</td>
      <td className={cn(cell, 'max-lg:hidden')}>
        <Spend usage={run.usage} budget={run.budget} />
      </td>
      <td className={cn(cell, 'text-xs text-muted max-md:hidden')}>
        {run.updated_at && <TimeAgo at={run.updated_at} />}
      </td>
      <td className={cn(cell, 'text-xs text-muted')}>
        <TimeAgo at={run.created_at} />
      </td>
    </tr>
  );
}
