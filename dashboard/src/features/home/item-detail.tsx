import { Link } from 'react-router';
import { formatClock, formatRelative } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import type { InboxItem } from '@/model/inbox';
import { CodeBlock } from '@/ui/code-block';
import { LimitPeek } from './limit-peek';
import { OptionList } from './option-list';
import { PlanPeek } from './plan-peek';

type ItemDetailProps = {
  item: InboxItem;
  isInScope: () => boolean;
  onChoose: (words: string) => void;
};

/** What was asked about, as much as is needed to decide. */
export function ItemDetail({ item, isInScope, onChoose }: ItemDetailProps) {
  const { detail } = item;
  switch (detail.type) {
    case 'plan':
      return <PlanPeek run={item.run} goal={detail.goal} problems={detail.problems} />;
    case 'call':
      return (
        <div className="flex max-w-4xl flex-col gap-2">
          {detail.command !== null && (
            <CodeBlock
              code={detail.command}
              language="bash"
              title={detail.tool}
              wrap
              maxHeight={240}
            />
          )}
          {detail.rest !== null && (
            <CodeBlock
              code={detail.rest}
              language="json"
              title={detail.command === null ? detail.tool : 'Other arguments'}
              wrap
              maxHeight={240}
            />
          )}
        </div>
      );
    case 'options':
      return <OptionList options={detail.options} isInScope={isInScope} onChoose={onChoose} />;
    case 'findings':
      return <Lines lines={detail.open} />;
    case 'output':
      return (
        <CodeBlock
          code={detail.output}
          {...(detail.command === null ? {} : { title: detail.command })}
          maxHeight={220}
          className="max-w-4xl"
        />
      );
    case 'conflict':
      return (
        <div className="flex max-w-4xl flex-col gap-2">
          <Lines lines={detail.files} mono />
          {detail.text !== '' && <CodeBlock code={detail.text} language="diff" maxHeight={220} />}
        </div>
      );
    case 'limit':
      return <LimitPeek item={item} detail={detail} />;
    case 'resets':
      return <Resets provider={detail.provider} at={detail.at} />;
    case 'none':
      return item.hint ? (
        <p className="text-muted">
          {item.hint}.{' '}
          <Link to={`/runs/${item.run}`} className="text-accent-text hover:underline">
            See what happened
          </Link>
        </p>
      ) : null;
  }
}

function Lines({ lines, mono = false }: { lines: string[]; mono?: boolean }) {
  if (lines.length === 0) return null;
  return (
    <ul className="max-w-4xl list-disc pl-4 marker:text-subtle">
      {lines.map((line) => (
        <li key={line} className={mono ? 'font-mono text-xs leading-5' : ''}>
          {line}
        </li>
      ))}
    </ul>
  );
}

function Resets({ provider, at }: { provider: string; at: string }) {
  const now = useNow();
  return (
    <p className="text-muted">
      {provider} gives more {formatRelative(at, now)}, at {formatClock(at)}. The run then goes on by
      itself.
    </p>
  );
}
