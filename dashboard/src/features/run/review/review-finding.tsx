import { Link } from 'react-router';
import { shown } from '@/lib/visible';
import type { Finding } from '@/model/run/reviews';
import { Badge } from '@/ui/badge';
import { Markdown } from '@/ui/markdown';
import { dispositionTone } from './tones';

type ReviewFindingProps = { run: string; number: number; finding: Finding };

/** One finding: where, what, how it might be better, and what was decided about it. */
export function ReviewFinding({ run, number, finding }: ReviewFindingProps) {
  const { comment, persona, decision } = finding;
  return (
    <li className="border-t border-line px-3 py-3 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-2 text-xs">
        <span className="tabular text-subtle">{number}</span>
        {comment.file && (
          <Link
            to={`/runs/${run}/diff?file=${encodeURIComponent(comment.file)}${comment.line ? `&line=${comment.line}` : ''}`}
            className="font-mono wrap-anywhere text-accent-text hover:underline"
          >
            {shown(comment.file)}
            {comment.line != null && `:${comment.line}`}
          </Link>
        )}
        {persona && <span className="text-muted">{shown(persona)}</span>}
      </div>
      <Markdown text={comment.text} className="mt-1 text-sm" />
      {comment.suggestion && (
        <div className="mt-2 border-l-2 border-line-strong pl-3">
          <p className="text-2xs font-medium text-muted">Suggestion</p>
          <Markdown text={comment.suggestion} className="text-sm" />
        </div>
      )}
      {decision && (
        <div className="mt-2 flex items-start gap-2 rounded-md bg-canvas px-2.5 py-2 text-sm">
          <Badge tone={dispositionTone[decision.disposition]}>{decision.disposition}</Badge>
          <div className="min-w-0">
            {decision.title && <p className="font-medium">{shown(decision.title)}</p>}
            <Markdown text={decision.reason} className="text-sm text-muted" />
          </div>
        </div>
      )}
    </li>
  );
}
