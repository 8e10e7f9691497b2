import { cn } from '@/lib/cn';
import { formatMoney } from '@/lib/format';

type MoneyProps = {
  /** `null`: the price is unknown, which is shown as such, never as zero. */
  usd: number | null;
  className?: string;
};

export function Money({ usd, className }: MoneyProps) {
  if (usd === null) {
    return (
      <span className={cn('text-muted', className)} title="Price unknown for this model">
        {formatMoney(usd)}
      </span>
    );
  }
  return (
    <span className={cn('tabular font-mono text-[0.92em]', className)}>{formatMoney(usd)}</span>
  );
}
