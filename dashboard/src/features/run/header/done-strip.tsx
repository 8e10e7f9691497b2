import { GitCompareArrows } from 'lucide-react';
import { Link } from 'react-router';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import type { RunDetail } from '@/wire/RunDetail';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

/** What has come of a run that is done, and the next step with it. */
export function DoneStrip({ detail }: { detail: RunDetail }) {
  const commits = commitsOf(detail.state);
  const { branch } = detail;
  if (detail.status !== 'completed' || commits === 0 || branch === null) return null;
  const merge = `git merge ${branch}`;
  return (
    <section
      aria-label="Result"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-done-soft px-3 py-2 md:px-5"
    >
      <p className="min-w-0 flex-1 basis-72 text-sm text-pretty wrap-anywhere">
        <span className="font-semibold text-done">Done.</span> {plural(commits, 'reviewed commit')}{' '}
        on <span className="font-mono text-xs">{branch}</span>. Your checkout is unchanged.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {!detail.in_place && (
          <span className="flex items-center gap-1 rounded-md bg-panel py-0.5 pr-0.5 pl-2 font-mono text-xs">
            {merge}
            <CopyButton text={merge} label="Copy command" />
          </span>
        )}
        <Button asChild size="sm" variant="primary">
          <Link to={`/runs/${detail.id}/diff`}>
            <GitCompareArrows aria-hidden />
            See changes
          </Link>
        </Button>
      </div>
    </section>
  );
}

function commitsOf(state: JsonValue): number {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return 0;
  return Array.isArray(state.commits) ? state.commits.length : 0;
}
