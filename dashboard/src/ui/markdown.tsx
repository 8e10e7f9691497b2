import { lazy, Suspense } from 'react';
import { cn } from '@/lib/cn';
import type { MarkdownBodyProps } from '@/ui/markdown-body';

const MarkdownBody = lazy(() => import('@/ui/markdown-body'));

type MarkdownProps = MarkdownBodyProps & { className?: string };

/**
 * Markdown from anybody: raw HTML is shown as text, links lead only to http, https and mail, and
 * images are links. Every block element carries `data-line-start` and `data-line-end`, the lines of
 * `text` it came from; `renderBlock` may wrap each outermost block.
 */
export function Markdown({ className, ...body }: MarkdownProps) {
  return (
    <div className={cn('prose', className)}>
      <Suspense fallback={<p className="whitespace-pre-wrap text-muted">{body.text}</p>}>
        <MarkdownBody {...body} />
      </Suspense>
    </div>
  );
}
