import { hintText } from '@/model/event/hint';
import type { Detail } from '@/model/inbox/detail';
import type { InboxItem } from '@/model/inbox/inbox';
import { CodedText } from '@/ui/coded-text';
import { Meter } from '@/ui/meter';
import { limitUnits } from './limit-units';

type LimitPreviewProps = { item: InboxItem; detail: Extract<Detail, { type: 'limit' }> };

/** What was used of the limit that stopped the run. */
export function LimitPreview({ item, detail }: LimitPreviewProps) {
  const unit = limitUnits[detail.which];
  const used = detail.spent ? unit.used(detail.spent) : null;
  const { limit } = detail;
  return (
    <div className="flex max-w-md flex-col gap-1.5">
      {limit !== null && (
        <>
          <Meter
            label="Limit used"
            value={used ?? limit}
            limit={limit}
            text={`${unit.show(used ?? limit)} of ${unit.show(limit)}`}
          />
          <p className="tabular text-xs text-muted">
            {used === null ? 'All used' : `Used ${unit.show(used)}`} of {unit.show(limit)}
          </p>
        </>
      )}
      {item.hint && (
        <p className="text-muted">
          <CodedText>{hintText(item.hint)}</CodedText>
        </p>
      )}
    </div>
  );
}
