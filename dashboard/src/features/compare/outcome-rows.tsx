import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { hintIn, withoutHint } from '@/model/board/waiting';
import { checksIn } from '@/model/compare/compare';
import { hintText } from '@/model/event/hint';
import { statusToken, statusWord } from '@/model/run/status-token';
import { Badge } from '@/ui/badge';
import { CodedText } from '@/ui/coded-text';
import { StatusBadge } from '@/ui/status-badge';
import type { Compared } from '@/wire/Compared';
import type { ComparedRun } from '@/wire/ComparedRun';
import type { CompareRow } from './compare-table';

const none = <span className="text-subtle">none</span>;

/** How far they are, and how it came out. */
export function outcomeRows({ a, b, different }: Compared): CompareRow[] {
  const row = (
    id: string,
    label: string,
    show: (run: ComparedRun) => ReactNode,
    of: (run: ComparedRun) => unknown,
  ) => ({
    id,
    label,
    a: show(a),
    b: show(b),
    isSame: JSON.stringify(of(a)) === JSON.stringify(of(b)),
  });
  return [
    {
      ...row(
        'status',
        'Status',
        (run) => (
          <StatusBadge status={statusToken(run.status)}>
            {statusWord(run.status, run.merged)}
          </StatusBadge>
        ),
        (run) => statusWord(run.status, run.merged) ?? run.status,
      ),
      isKey: true,
    },
    row('outcome', 'Outcome', outcome, outcomeText),
    row(
      'tasks',
      'Tasks done',
      (run) => (run.tasks ? `${run.tasks.done} of ${run.tasks.total}` : none),
      (run) => run.tasks,
    ),
    {
      ...row('checks', 'Checks', checks, (run) => run.checks),
      isSame: !different.includes('checks'),
      isKey: true,
    },
    row(
      'rounds',
      'Review rounds',
      (run) => run.review_rounds,
      (run) => run.review_rounds,
    ),
    row(
      'profile',
      'Profile',
      (run) => run.profile ?? none,
      (run) => run.profile,
    ),
    row(
      'issue',
      'Issue',
      (run) => run.issue_id ?? none,
      (run) => run.issue_id,
    ),
    row(
      'repository',
      'Repository',
      (run) => mono(run.worktree_path),
      (run) => run.worktree_path,
    ),
    row(
      'branch',
      'Branch',
      (run) => mono(run.branch),
      (run) => run.branch,
    ),
  ];
}

const mono = (text: string | null) =>
  text === null ? none : <span className="font-mono text-xs">{text}</span>;

function outcomeText(run: ComparedRun): string | null {
  return run.error ?? run.why?.message ?? run.summary ?? run.activity?.text ?? null;
}

function outcome(run: ComparedRun) {
  const text = outcomeText(run);
  if (text === null) return none;
  const hint = hintIn(text);
  return (
    <span className="line-clamp-4">
      <span className={run.error ? 'text-failed' : ''}>
        <CodedText>{withoutHint(text)}</CodedText>
      </span>
      {hint && (
        <span className="block text-xs text-muted">
          <CodedText>{hintText(hint)}</CodedText>
        </span>
      )}
    </span>
  );
}

function checks(run: ComparedRun) {
  const all = checksIn(run.checks);
  if (all.length === 0) return <span className="text-subtle">none ran</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {all.map((check) => (
        <Badge
          key={check.name}
          tone={check.passed ? 'done' : 'failed'}
          icon={check.passed ? <Check aria-hidden /> : <X aria-hidden />}
        >
          {check.name} {check.passed ? 'passed' : 'failed'}
        </Badge>
      ))}
    </span>
  );
}
