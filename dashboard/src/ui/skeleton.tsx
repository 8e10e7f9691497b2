import { cn } from '@/lib/cn';

type SkeletonProps = {
  /** Give it the size of what comes: no shift when it arrives. */
  className?: string;
  /** So many text lines instead of one block. */
  lines?: number;
};

const widths = ['w-full', 'w-11/12', 'w-4/5', 'w-full', 'w-3/5'];

export function Skeleton({ className, lines }: SkeletonProps) {
  if (lines === undefined) {
    return (
      <div aria-hidden className={cn('animate-pulse-soft rounded-md bg-pressed/70', className)} />
    );
  }
  return (
    <div aria-hidden className={cn('flex flex-col gap-2', className)}>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
          key={line}
          className={cn('h-3 animate-pulse-soft rounded-sm bg-pressed/70', widths[line % 5])}
        />
      ))}
    </div>
  );
}
