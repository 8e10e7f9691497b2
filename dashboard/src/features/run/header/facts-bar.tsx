import {
  Clock,
  Coins,
  FolderGit2,
  GitBranch,
  GitFork,
  Hash,
  ListChecks,
  MapPin,
  Paperclip,
  Repeat,
  ShieldCheck,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { cn } from '@/lib/cn';
import { formatMoney, formatTokens, plural } from '@/lib/format';
import { attachmentsOf } from '@/model/run/attachments';
import type { RunState } from '@/model/run/run-state';
import { Badge } from '@/ui/badge';
import { CopyButton } from '@/ui/copy-button';
import { Duration } from '@/ui/duration';
import { Meter } from '@/ui/meter';
import { StatusBadge } from '@/ui/status-badge';
import type { RunDetail } from '@/wire/RunDetail';
import { GrantedRules } from './granted-rules';

type FactsBarProps = {
  detail: RunDetail;
  runState: RunState;
  /** On several lines, instead of one that scrolls. */
  isWrapped?: boolean;
};

/** The run in one line. */
export function FactsBar({ detail, runState, isWrapped = false }: FactsBarProps) {
  const { nodes, task, round } = runState;
  const attached = attachmentsOf(detail.state).length;
  return (
    <dl
      tabIndex={0}
      aria-label="Run summary"
      className={cn(
        'relative flex shrink-0 items-center gap-x-4 border-b border-line px-3 text-xs whitespace-nowrap md:px-5 focus-visible:-outline-offset-2',
        isWrapped
          ? 'flex-wrap gap-y-1 py-2'
          : 'scroll-quiet h-9 overflow-x-auto [scrollbar-width:none]',
      )}
    >
      <div className="flex shrink-0 items-center gap-2 md:hidden">
        <dt className="sr-only">Status</dt>
        <dd>
          <StatusBadge status={runState.tone}>{runState.word}</StatusBadge>
          {detail.is_archived && <Badge className="ml-2">Archived</Badge>}
        </dd>
      </div>
      <Fact icon={<Hash />} name="Run">
        <Copied text={detail.short_id} label="Copy the id of the run" />
      </Fact>
      {nodes.length > 0 && (
        <Fact icon={<MapPin />} name="Stage">
          <span className="font-medium">{nodes.join(', ')}</span>
        </Fact>
      )}
      {task && (
        <Fact icon={<ListChecks />} name="Task" title={task.title}>
          task {task.index + 1} of {task.total}
        </Fact>
      )}
      {round > 0 && (
        <Fact icon={<Repeat />} name="Review round">
          round {round}
        </Fact>
      )}
      <Cost runState={runState} />
      <Fact icon={<Clock />} name="Active time" title="Active time, without waiting">
        {runState.countsFrom !== null ? (
          <Duration since={runState.countsFrom} />
        ) : (
          <Duration ms={runState.activeMs} />
        )}
      </Fact>
      {detail.forked_from && (
        <Fact icon={<GitFork />} name="Origin">
          <Link
            to={`/runs/${detail.forked_from.workflow_id}`}
            className="text-accent-text underline underline-offset-3"
          >
            forked from {detail.forked_from.workflow_id.slice(0, 8)} at{' '}
            {detail.forked_from.checkpoint}
          </Link>
        </Fact>
      )}
      {runState.granted.length > 0 && (
        <Fact icon={<ShieldCheck />} name="Permission rules">
          <GrantedRules
            run={detail.id}
            shortId={detail.short_id}
            granted={runState.granted}
            isEnded={detail.status === 'completed' || detail.status === 'cancelled'}
          />
        </Fact>
      )}
      {attached > 0 && (
        <Fact icon={<Paperclip />} name="Attached files">
          <Link to="?tab=artifacts" className="text-accent-text underline underline-offset-3">
            {plural(attached, 'file')} attached
          </Link>
        </Fact>
      )}
      {detail.branch && (
        <Fact icon={<GitBranch />} name="Branch" className="md:ml-auto" canShrink>
          <Copied text={detail.branch} label="Copy branch" />
        </Fact>
      )}
      {detail.worktree && (
        <Fact
          icon={<FolderGit2 />}
          name="Worktree"
          className={detail.branch ? '' : 'md:ml-auto'}
          canShrink
        >
          <Copied text={detail.worktree} label="Copy worktree path" />
        </Fact>
      )}
    </dl>
  );
}

function Cost({ runState }: { runState: RunState }) {
  const { spend, budget } = runState;
  const priced = formatMoney(spend.unpriced_calls > 0 && spend.usd === 0 ? null : spend.usd);
  const about = spend.estimated_calls > 0 ? '~' : '';
  const tokens = `${about}${formatTokens(spend.tokens)} tokens`;
  const title = `${priced}, ${tokens}, ${plural(spend.calls, 'model call')}${
    spend.unpriced_calls > 0 ? `, ${spend.unpriced_calls} with unknown price` : ''
  }`;
  const limit =
    budget.usd !== null
      ? { value: spend.usd, of: budget.usd, text: `${priced} of ${formatMoney(budget.usd)}` }
      : budget.tokens !== null
        ? {
            value: spend.tokens,
            of: budget.tokens,
            text: `${formatTokens(spend.tokens)} of ${tokensOf(budget.tokens)}`,
          }
        : null;
  return (
    <Fact icon={<Coins />} name="Cost" title={title}>
      <span className="tabular">{limit ? limit.text : `${priced} · ${tokens}`}</span>
      {limit && (
        <Meter
          label="Budget used"
          value={limit.value}
          limit={limit.of}
          text={limit.text}
          className="ml-2 inline-block w-16 align-middle"
        />
      )}
    </Fact>
  );
}

const tokensOf = (tokens: number) => `${formatTokens(tokens)} tokens`;

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="inline-flex min-w-0 items-center">
      <span className="max-w-48 min-w-0 truncate font-mono text-2xs [direction:rtl]" title={text}>
        <bdi>{text}</bdi>
      </span>
      <CopyButton text={text} label={label} className="size-6" />
    </span>
  );
}

type FactProps = {
  icon: ReactNode;
  name: string;
  title?: string;
  className?: string;
  /** Gives way before the line scrolls. */
  canShrink?: boolean;
  children: ReactNode;
};

function Fact({ icon, name, title, className, canShrink = false, children }: FactProps) {
  return (
    <div
      title={title ?? name}
      className={cn(
        'flex items-center gap-1.5',
        canShrink ? 'min-w-24 shrink' : 'shrink-0',
        className,
      )}
    >
      <dt className="text-subtle [&_svg]:size-3.5">
        <span aria-hidden>{icon}</span>
        <span className="sr-only">{name}</span>
      </dt>
      <dd className="flex min-w-0 items-center text-muted">{children}</dd>
    </div>
  );
}
