import type { ReactNode } from 'react';
import { formatDuration } from '@/lib/format';
import { isElicitation } from '@/model/event/answer-label';
import { checkEnd } from '@/model/event/words';
import { Badge } from '@/ui/badge';
import { Markdown } from '@/ui/markdown';
import type { LogEvent } from '@/wire/LogEvent';
import type { CheckResult } from '@/wire/log/CheckResult';
import type { Evaluation } from '@/wire/log/Evaluation';
import type { HumanReply } from '@/wire/log/HumanReply';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import type { Review } from '@/wire/log/Review';
import { LongCode } from './long-code';

/** What a note says when it is unfolded; nothing when its line says it all. */
export function detailsOf(event: LogEvent, asked: HumanRequest | null): ReactNode {
  const { kind } = event;
  if ('task' in kind) {
    if ('checked' in kind.task) return <Checks checks={kind.task.checked.checks} />;
    if ('committed' in kind.task) return <Words text={kind.task.committed.message} />;
    if ('failed' in kind.task) return <Words text={kind.task.failed.error} />;
  }
  if ('review' in kind) {
    if ('completed' in kind.review) return <Comments review={kind.review.completed.review} />;
    if ('evaluated' in kind.review)
      return <Decisions evaluation={kind.review.evaluated.evaluation} />;
    if ('revision_requested' in kind.review)
      return <Decisions evaluation={kind.review.revision_requested.evaluation} />;
  }
  if ('human' in kind) {
    if ('requested' in kind.human) return <Words text={kind.human.requested.prompt} />;
    if ('replied' in kind.human) return replyOf(kind.human.replied, asked);
    const { details } = kind.human.intervened;
    return details && <LongCode code={JSON.stringify(details, null, 2)} language="json" />;
  }
  if ('run' in kind && typeof kind.run === 'object') {
    if ('failed' in kind.run) return <Words text={kind.run.failed.failure.message} />;
    if ('completed' in kind.run && kind.run.completed.summary)
      return <Markdown text={kind.run.completed.summary} className="text-sm" />;
  }
  if ('agent' in kind && 'finished' in kind.agent) return <Words text={kind.agent.finished.text} />;
  return null;
}

function replyOf({ message, updates }: HumanReply, asked: HumanRequest | null): ReactNode {
  if (message) return <Words text={message} />;
  if (updates == null || !asked || !isElicitation(asked)) return null;
  return <LongCode code={JSON.stringify(updates, null, 2)} language="json" />;
}

function Words({ text }: { text: string }) {
  return <p className="text-xs leading-5 wrap-anywhere whitespace-pre-wrap">{text}</p>;
}

function Checks({ checks }: { checks: CheckResult[] }) {
  return checks.map((check) => (
    <div key={check.name} className="mb-2 last:mb-0">
      <p className="mb-1 flex flex-wrap items-center gap-2 text-xs">
        <Badge tone={check.passed ? 'done' : 'failed'}>{check.name}</Badge>
        <span>{checkEnd(check)}</span>
        <span className="tabular text-2xs text-muted">{formatDuration(check.duration_ms)}</span>
      </p>
      <LongCode code={check.output === '' ? '(no output)' : check.output} title={check.command} />
    </div>
  ));
}

function Comments({ review }: { review: Review }) {
  if (review.comments.length === 0) return <Words text="No comments." />;
  return (
    <ol className="flex flex-col gap-2">
      {review.comments.map((comment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: comments have no name but their place.
        <li key={index} className="text-xs">
          <Place file={comment.file} line={comment.line} />
          <Markdown text={comment.text} className="text-xs" />
          {comment.suggestion && (
            <p className="mt-0.5 text-muted wrap-anywhere">Suggestion: {comment.suggestion}</p>
          )}
        </li>
      ))}
    </ol>
  );
}

const TONES = {
  implement: 'running',
  reject: 'cancelled',
  defer: 'paused',
  clarify: 'needs-you',
} as const;

function Decisions({ evaluation }: { evaluation: Evaluation }) {
  return (
    <ol className="flex flex-col gap-2">
      {evaluation.items.map((item) => (
        <li key={item.number} className="text-xs">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={TONES[item.disposition]}>{item.disposition}</Badge>
            <span className="font-medium">{item.title}</span>
            <Place file={item.file} line={item.line} />
          </p>
          <p className="mt-0.5 text-pretty wrap-anywhere text-muted">{item.reason}</p>
        </li>
      ))}
    </ol>
  );
}

function Place({
  file,
  line,
}: {
  file?: string | null | undefined;
  line?: number | null | undefined;
}) {
  if (!file) return null;
  return (
    <code className="text-2xs text-muted">
      {file}
      {line ? `:${line}` : ''}
    </code>
  );
}
