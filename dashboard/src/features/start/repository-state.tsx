import { CircleCheck, CircleDashed, CircleX, GitBranch, GitCommitHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/http';
import { cn } from '@/lib/cn';
import { CodedText } from '@/ui/coded-text';
import { Spinner } from '@/ui/spinner';
import type { RepositoryLook } from '@/wire/RepositoryLook';

type RepositoryStateProps = {
  path: string;
  look: RepositoryLook | undefined;
  error: Error | null;
  /** Nothing is asked and nothing is typed at the moment. */
  isSettled: boolean;
  onUse: (root: string) => void;
};

/** What is at the path, in one line that never changes its height. */
export function RepositoryState(props: RepositoryStateProps) {
  return (
    <div
      id="repository-state"
      aria-live="polite"
      className="flex min-h-5 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted"
    >
      <Words {...props} />
    </div>
  );
}

function Words({ path, look, error, isSettled, onUse }: RepositoryStateProps) {
  if (path === '')
    return <span>Any directory inside a git repository on the server’s machine.</span>;
  if (!isSettled && (!look || look.path !== path)) {
    return (
      <Line icon={<Spinner className="size-3.5" />} className="text-subtle">
        Checking…
      </Line>
    );
  }
  if (error) {
    const reason = error instanceof ApiError && error.status === 404 ? '' : ` ${error.message}`;
    return (
      <Line icon={<CircleDashed />}>
        Could not check this directory.{reason} It is checked when you start the run.
      </Line>
    );
  }
  if (!look) return null;
  if (look.problem || !look.root) {
    return (
      <Line icon={<CircleX />} className="text-failed">
        <CodedText>{look.problem ?? 'Runs cannot start here.'}</CodedText>
      </Line>
    );
  }
  const root = look.root;
  return (
    <>
      <Line icon={<GitBranch />}>{look.branch ?? 'no branch'}</Line>
      {look.head && (
        <Line icon={<GitCommitHorizontal />}>
          <code title={look.head}>{look.head.slice(0, 8)}</code>
        </Line>
      )}
      {look.is_clean ? (
        <Line icon={<CircleCheck />} className="text-done">
          clean
        </Line>
      ) : (
        <Line icon={<CircleDashed />} className="text-needs-you">
          uncommitted changes
        </Line>
      )}
      {root !== path && (
        <button
          type="button"
          className="truncate rounded-sm text-accent-text underline-offset-3 hover:underline"
          onClick={() => onUse(root)}
        >
          top: <code>{root}</code>
        </button>
      )}
    </>
  );
}

type LineProps = { icon: ReactNode; children: ReactNode; className?: string };

function Line({ icon, children, className }: LineProps) {
  return (
    <span
      className={cn(
        'inline-flex min-w-0 items-center gap-1 wrap-anywhere [&_svg]:size-3.5 [&_svg]:shrink-0',
        className,
      )}
    >
      {icon}
      <span className="min-w-0">{children}</span>
    </span>
  );
}
