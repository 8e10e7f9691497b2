import { type ReactNode, useCallback } from 'react';
import { useListedKey } from '@/lib/use-shortcut';
import { shown } from '@/lib/visible';
import { Markdown } from '@/ui/markdown';
import type { ReviewKey } from '../comments/store';
import { PlanBlock } from './plan-block';

type PlanDocumentProps = {
  markdown: string;
  revision: number | null;
  review: ReviewKey;
  canComment: boolean;
};

export function PlanDocument({ markdown, revision, review, canComment }: PlanDocumentProps) {
  useListedKey('c', 'Comment on the focused paragraph', 'Plan', canComment);
  useListedKey('arrowdown', 'Next paragraph', 'Plan');
  useListedKey('arrowup', 'Previous paragraph', 'Plan');
  const renderBlock = useCallback(
    (block: ReactNode, lines: { start: number; end: number }) => (
      <PlanBlock
        markdown={markdown}
        lines={lines}
        revision={revision}
        review={review}
        canComment={canComment}
      >
        {block}
      </PlanBlock>
    ),
    [markdown, revision, review, canComment],
  );
  return (
    <Markdown
      text={shown(markdown)}
      renderBlock={renderBlock}
      className="[&>[data-block]:first-child>:first-child]:mt-0"
    />
  );
}
