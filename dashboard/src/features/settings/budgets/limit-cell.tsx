import { Pencil } from 'lucide-react';
import { limitText } from '@/features/settings/budgets/limit-text';
import { cn } from '@/lib/cn';
import type { EffectiveLimit, Limit } from '@/model/settings/limits';

type LimitCellProps = { limit: Limit; counting: EffectiveLimit; label: string; onEdit: () => void };

/** What counts, and whose it is; a press changes the figure of this column. */
export function LimitCell({ limit, counting, label, onEdit }: LimitCellProps) {
  const { value, from, overruled } = counting;
  return (
    <td className="px-1">
      <button
        type="button"
        aria-label={`${label}: ${limitText(limit.amount, value)}. Change`}
        className="group flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left whitespace-nowrap hover:bg-hover focus-visible:-outline-offset-2"
        onClick={onEdit}
      >
        <span className={cn('tabular', value === null ? 'text-subtle' : 'font-medium')}>
          {limitText(limit.amount, value)}
        </span>
        {from === 'server' && <span className="text-xs text-muted">by the server</span>}
        {overruled !== null && (
          <s className="text-xs text-subtle">{limitText(limit.amount, overruled)}</s>
        )}
        <Pencil
          aria-hidden
          className="ml-auto size-3.5 text-subtle opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
        />
      </button>
    </td>
  );
}
