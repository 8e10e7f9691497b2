import { cn } from '@/lib/cn';

type CountsProps = { added: number; removed: number; isBinary?: boolean; className?: string };

export function Counts({ added, removed, isBinary = false, className }: CountsProps) {
  if (isBinary) return <span className="text-2xs text-muted">binary</span>;
  return (
    <span className={cn('tabular shrink-0 font-mono text-2xs', className)}>
      <span className="text-diff-add-fg">
        <span className="sr-only">added </span>+{added}
      </span>{' '}
      <span className="text-diff-del-fg">
        <span className="sr-only">removed </span>−{removed}
      </span>
    </span>
  );
}
