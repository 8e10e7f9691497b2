import { useNavigate } from 'react-router';
import { useNewTask } from '@/api/actions';
import { ApiError } from '@/api/http';
import type { DefinitionDetail, DefinitionKind } from '@/model/workflows/definition';
import { type TaskDraft, taskOf } from '@/model/workflows/task';

/** Starts a run and goes to its page. */
export function useStartTask(
  kind: DefinitionKind,
  definition: DefinitionDetail,
  repository: string,
) {
  const navigate = useNavigate();
  const task = useNewTask();
  const start = (draft: TaskDraft) =>
    task.mutate(taskOf(kind, definition.name, draft, definition.inputs, repository), {
      onSuccess: ({ id }) => void navigate(`/runs/${id}`),
    });
  const { error } = task;
  const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : '';
  return { start, isStarting: task.isPending, error: error ? `${error.message}${hint}` : null };
}
