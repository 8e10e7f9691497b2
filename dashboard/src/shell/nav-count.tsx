import { cn } from '@/lib/cn';

type NavCountProps = { count: number | undefined; className?: string };

/** How many things wait for a person at this place. */
export function NavCount({ count, className }: NavCountProps) {
  if (!count) return null;
  return (
    <span
      className={cn(
        'tabular inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-needs-you-soft px-1 text-2xs font-semibold text-needs-you',
        className,
      )}
    >
      {count > 99 ? '99+' : count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
