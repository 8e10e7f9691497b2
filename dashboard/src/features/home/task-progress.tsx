import { cn } from '@/lib/cn';
import type { TaskShown } from '@/wire/TaskShown';

type TaskProgressProps = {
  task: TaskShown;
  /** Of review; 0 before the first. */
  round: number;
  isDone: boolean;
  /** It is worked on right now. */
  isLive: boolean;
};

/** Which task of how many, with a bar of as many parts. */
export function TaskProgress({ task, round, isDone, isLive }: TaskProgressProps) {
  const done = isDone ? task.total : task.index;
  const count = isDone ? `${task.total} of ${task.total}` : `${task.index + 1} of ${task.total}`;
  const words = isDone ? 'done' : task.title;
  return (
    <span className="mt-1.5 flex h-4 items-center gap-1.5 text-2xs text-muted" title={words}>
      <span aria-hidden className="flex w-10 shrink-0 gap-px overflow-hidden rounded-full">
        {Array.from({ length: Math.min(task.total, 12) }, (_, part) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place.
            key={part}
            className={cn(
              'h-1.5 flex-1',
              partTone(part, Math.min(task.total, 12), done / task.total, isLive),
            )}
          />
        ))}
      </span>
      <span className="min-w-0 truncate">
        <span className="tabular">{count}</span> {words}
      </span>
      {round > 0 && !isDone && (
        <span className="ml-auto shrink-0" title={`Review round ${round}`}>
          round {round}
        </span>
      )}
    </span>
  );
}

/** With more tasks than parts, a part stands for several. */
function partTone(part: number, parts: number, done: number, isLive: boolean): string {
  const at = Math.floor(done * parts);
  if (part < at) return 'bg-done';
  return part === at && isLive ? 'bg-running' : 'bg-pressed';
}
