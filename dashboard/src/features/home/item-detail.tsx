import { Link } from 'react-router';
import { formatClock, formatRelative } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { hintText } from '@/model/event/hint';
import { evidenceOf } from '@/model/inbox/evidence';
import type { InboxItem } from '@/model/inbox/inbox';
import { ChoiceList } from '@/ui/choice-list';
import { CodedText } from '@/ui/coded-text';
import { Evidence } from '@/ui/evidence';
import { LimitPreview } from './limit-preview';
import { PlanPreview } from './plan-preview';

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
      return <PlanPreview run={item.run} goal={detail.goal} problems={detail.problems} />;
    case 'options':
      return <ChoiceList choices={detail.options} isInScope={isInScope} onChoose={onChoose} />;
    case 'limit':
      return <LimitPreview item={item} detail={detail} />;
    case 'resets':
      return <Resets provider={detail.provider} at={detail.at} />;
    case 'none':
      return item.hint ? (
        <p className="text-muted">
          <CodedText>{hintText(item.hint)}</CodedText>{' '}
          <Link to={`/runs/${item.run}`} className="text-accent-text hover:underline">
            See details
          </Link>
        </p>
      ) : null;
    default:
      return <Evidence pieces={evidenceOf(detail)} />;
  }
}

function Resets({ provider, at }: { provider: string; at: string }) {
  const now = useNow();
  return (
    <p className="text-muted">
      {provider} resets the quota {formatRelative(at, now)}, at {formatClock(at)}. The run then
      resumes automatically.
    </p>
  );
}
