import { Check, Circle, CircleDot, CircleSlash, CircleX } from 'lucide-react';
import { shown } from '@/lib/visible';
import type { PlanTask } from '@/model/plan/plan';
import { Collapsible } from '@/ui/collapsible';
import { PlanFileRow } from './plan-file-row';

type PlanOutlineProps = {
  tasks: PlanTask[];
  /** How many are done; `null` before the work has begun. */
  done: number | null;
  /** The run has ended: what is not done stays so. */
  isOver: boolean;
  /** Leads to the task in the text. */
  onGo?: (task: PlanTask) => void;
};

export function PlanOutline({ tasks, done, isOver, onGo }: PlanOutlineProps) {
  return (
    <ol className="flex flex-col">
      {tasks.map((task, index) => (
        <li key={task.id} className="border-t border-line py-1 first:border-t-0">
          <Collapsible
            title={
              <span className="flex items-baseline gap-2">
                {task.status ? (
                  <Status status={task.status} />
                ) : (
                  done !== null && <Progress index={index} done={done} isOver={isOver} />
                )}
                <span className="tabular shrink-0 text-xs text-subtle">{task.id}</span>
                <span className="truncate" title={shown(task.title)}>
                  {shown(task.title)}
                </span>
              </span>
            }
          >
            <TaskParts task={task} />
            {onGo && (
              <button
                type="button"
                onClick={() => onGo(task)}
                className="mt-2 rounded-sm text-xs text-accent-text hover:underline"
              >
                Jump to this task in the plan
              </button>
            )}
          </Collapsible>
        </li>
      ))}
    </ol>
  );
}

type ProgressProps = { index: number; done: number; isOver: boolean };

function Progress({ index, done, isOver }: ProgressProps) {
  const style = 'size-3.5 shrink-0 self-center';
  if (index < done) return <Check aria-label="done" className={`${style} text-done`} />;
  if (isOver) return <CircleSlash aria-label="not done" className={`${style} text-subtle`} />;
  if (index === done)
    return <CircleDot aria-label="next or in progress" className={`${style} text-running`} />;
  return <Circle aria-label="to do" className={`${style} text-subtle`} />;
}

const looks: Record<string, [typeof Check, string]> = {
  completed: [Check, 'text-done'],
  in_progress: [CircleDot, 'text-running'],
  failed: [CircleX, 'text-failed'],
  skipped: [CircleSlash, 'text-subtle'],
  cancelled: [CircleSlash, 'text-subtle'],
};

function Status({ status }: { status: string }) {
  const [Icon, tone] = looks[status] ?? [Circle, 'text-subtle'];
  const label = status.replace('_', ' ');
  return <Icon aria-label={label} className={`size-3.5 shrink-0 self-center ${tone}`} />;
}

function TaskParts({ task }: { task: PlanTask }) {
  return (
    <div className="flex flex-col gap-2 text-xs">
      {task.dependencies.length > 0 && (
        <p className="text-muted">Depends on task {task.dependencies.map(shown).join(', ')}</p>
      )}
      {task.files.length > 0 && (
        <ul className="flex flex-col gap-0.5">
          {task.files.map((file) => (
            <PlanFileRow
              key={`${file.operation} ${file.path}`}
              path={file.path}
              operations={[file.operation]}
            />
          ))}
        </ul>
      )}
      {task.steps.length > 0 && (
        <ol className="flex list-decimal flex-col gap-1 pl-4 marker:text-subtle">
          {task.steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place.
            <li key={index}>
              {shown(step.description)}
              {step.command && (
                <code className="mt-0.5 block text-2xs wrap-anywhere text-muted">
                  $ {shown(step.command)}
                </code>
              )}
            </li>
          ))}
        </ol>
      )}
      {task.acceptance.length > 0 && (
        <ul className="flex flex-col gap-0.5 text-muted">
          {task.acceptance.map((line) => (
            <li key={line}>Done when: {shown(line)}</li>
          ))}
        </ul>
      )}
      {task.commitMessage && (
        <p className="font-mono text-2xs wrap-anywhere text-subtle">{shown(task.commitMessage)}</p>
      )}
    </div>
  );
}
