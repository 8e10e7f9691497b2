import { useRun } from '@/api/runs';
import { plural } from '@/lib/format';
import { type PlannedFile, planOutline } from '@/model/plan/plan-outline';
import { Badge } from '@/ui/badge';
import { CodedText } from '@/ui/coded-text';
import { Skeleton } from '@/ui/skeleton';

type PlanPreviewProps = { run: string; goal: string | null; problems: string[] };

/** Goal, tasks and files: enough to say yes to a small plan, and to see that a large one wants reading. */
export function PlanPreview({ run, goal, problems }: PlanPreviewProps) {
  const { data, isPending, error } = useRun(run);
  const plan = planOutline(data?.state);
  return (
    <div className="flex flex-col gap-3">
      {goal && <p className="max-w-3xl text-base text-pretty">{goal}</p>}
      {problems.length > 0 && (
        <ul className="max-w-3xl list-disc rounded-md bg-failed-soft py-2 pr-3 pl-7 text-failed">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {data?.estimate && <p className="text-muted">Estimate: {data.estimate.text}</p>}
      {isPending && <Skeleton className="h-22 max-w-4xl" />}
      {error && (
        <p className="text-failed">
          The tasks cannot be read: <CodedText>{error.message}</CodedText>
        </p>
      )}
      {plan && (
        <div className="grid max-w-4xl gap-x-8 gap-y-3 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <section>
            <h3 className="mb-1 text-xs font-medium text-subtle">
              {plural(plan.tasks.length, 'task')}
              {plan.steps > 0 && `, ${plural(plan.steps, 'step')}`}
            </h3>
            <ol className="flex flex-col gap-0.5">
              {plan.tasks.map((task, index) => (
                <li key={task.id} className="flex gap-2">
                  <span className="tabular w-4 shrink-0 text-right text-subtle">{index + 1}</span>
                  <span className="min-w-0 wrap-anywhere">{task.title}</span>
                </li>
              ))}
            </ol>
          </section>
          {plan.files.length > 0 && (
            <section>
              <h3 className="mb-1 text-xs font-medium text-subtle">
                {plural(plan.files.length, 'file')} to change
              </h3>
              <Files files={plan.files} />
            </section>
          )}
        </div>
      )}
    </div>
  );
}

const most = 8;
const tones: Record<string, 'done' | 'failed'> = { create: 'done', delete: 'failed' };

function Files({ files }: { files: PlannedFile[] }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {files.slice(0, most).map(({ path, operation }) => (
        <li key={path} className="flex items-center gap-2">
          <code className="min-w-0 truncate text-xs" title={path}>
            {path}
          </code>
          <Badge tone={tones[operation] ?? 'neutral'}>{operation}</Badge>
        </li>
      ))}
      {files.length > most && <li className="text-muted">and {files.length - most} more</li>}
    </ul>
  );
}
