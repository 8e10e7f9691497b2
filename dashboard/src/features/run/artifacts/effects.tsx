import { ExternalLink } from 'lucide-react';
import { shown } from '@/lib/visible';
import type { EffectFact } from '@/model/run/facts';
import { receiptLink, receiptText } from '@/model/run/receipt';
import { Badge } from '@/ui/badge';

type EffectsProps = { effects: EffectFact[] };

export function Effects({ effects }: EffectsProps) {
  return (
    <ul>
      {effects.map(({ effect, receipt, doubt }) => (
        <li
          key={effect.id}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-sm first:border-t-0"
        >
          <code className="shrink-0 text-xs">{shown(effect.kind)}</code>
          <span className="min-w-0 flex-1 truncate text-muted" title={shown(effect.target)}>
            {shown(effect.target)}
          </span>
          <Outcome receipt={receipt} doubt={doubt} />
        </li>
      ))}
    </ul>
  );
}

function Outcome({ receipt, doubt }: Pick<EffectFact, 'receipt' | 'doubt'>) {
  if (doubt !== null)
    return (
      <Badge tone="needs-you" title={shown(doubt)}>
        not sure: {shown(doubt)}
      </Badge>
    );
  if (receipt === null) return <Badge tone="running">in progress</Badge>;
  const link = receiptLink(receipt);
  if (!link)
    return <span className="text-xs wrap-anywhere text-muted">{shown(receiptText(receipt))}</span>;
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex max-w-full items-center gap-1 text-xs text-accent-text hover:underline"
    >
      <span className="truncate">{shown(link)}</span>
      <ExternalLink aria-hidden className="size-3.5 shrink-0" />
    </a>
  );
}
