import { GitCommitHorizontal } from 'lucide-react';
import { Link } from 'react-router';
import { shown } from '@/lib/visible';
import type { CommitFact } from '@/model/run/facts';
import { CopyButton } from '@/ui/copy-button';
import { TimeAgo } from '@/ui/time-ago';

type CommitsProps = { run: string; commits: CommitFact[] };

export function Commits({ run, commits }: CommitsProps) {
  return (
    <ul>
      {commits.map(({ seq, commit, message, task, at }) => (
        <li
          key={seq}
          className="flex items-center gap-2 border-t border-line px-4 py-2 text-sm first:border-t-0"
        >
          <GitCommitHorizontal aria-hidden className="size-4 shrink-0 text-subtle" />
          <Link
            to={`/runs/${run}/diff?task=${encodeURIComponent(task.id)}`}
            className="min-w-0 flex-1 truncate hover:underline"
            title={shown(message)}
          >
            {shown(message.split('\n')[0] ?? '')}
          </Link>
          <span className="shrink-0 text-xs text-muted max-md:hidden">Task {task.index + 1}</span>
          <TimeAgo at={at} className="shrink-0 text-xs text-muted max-md:hidden" />
          <code className="tabular shrink-0 text-xs text-muted">{commit.slice(0, 8)}</code>
          <CopyButton text={commit} label="Copy hash" className="size-6" />
        </li>
      ))}
    </ul>
  );
}
