import { cn } from '@/lib/cn';
import { shown } from '@/lib/visible';
import type { FileOperation } from '@/model/plan/plan';

type PlanFileRowProps = { path: string; operations: FileOperation[] };

const tones: Record<FileOperation, string> = {
  create: 'bg-done-soft text-done',
  modify: 'bg-running-soft text-running',
  delete: 'bg-failed-soft text-failed',
  test: 'bg-paused-soft text-paused',
};

export function PlanFileRow({ path, operations }: PlanFileRowProps) {
  return (
    <li className="flex items-baseline gap-1.5">
      <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{shown(path)}</span>
      {operations.map((operation) => (
        <span
          key={operation}
          className={cn('rounded-sm px-1 text-2xs leading-4', tones[operation])}
        >
          {operation}
        </span>
      ))}
    </li>
  );
}
