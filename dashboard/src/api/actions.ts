// What a person does to a run. Each is shown as done at once, and taken back with the reason when the server refuses;
// the reason reaches the screen through the mutation's error.

import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { newId } from '@/lib/id';
import type { TaskInput } from '@/model/workflows/task';
import type { Accepted } from '@/wire/Accepted';
import type { AgentRule } from '@/wire/AgentRule';
import type { BatchStarted } from '@/wire/BatchStarted';
import type { Breakpoints } from '@/wire/Breakpoints';
import type { ForkRequest } from '@/wire/ForkRequest';
import type { GrantChoice } from '@/wire/GrantChoice';
import type { Intervene } from '@/wire/Intervene';
import type { InterventionAccepted } from '@/wire/InterventionAccepted';
import type { LimitName } from '@/wire/LimitName';
import type { NewReview } from '@/wire/NewReview';
import type { NewWorkflow } from '@/wire/NewWorkflow';
import type { Pending } from '@/wire/Pending';
import type { ResponseType } from '@/wire/ResponseType';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { ApiError, post, put, remove } from './http';
import { keys } from './keys';

const of = (run: string, action: string) => `/workflows/${encodeURIComponent(run)}/${action}`;

/** Takes questions out of the inbox until the server has answered. */
async function hide(client: QueryClient, isAnswered: (pending: Pending) => boolean) {
  await client.cancelQueries({ queryKey: keys.inbox });
  const hidden = client.getQueryData<Pending[]>(keys.inbox)?.filter(isAnswered) ?? [];
  client.setQueryData<Pending[]>(keys.inbox, (all) => all?.filter((one) => !isAnswered(one)));
  return { hidden };
}

/** Puts back what was refused, and nothing else: others may have been answered meanwhile. */
function unhide(client: QueryClient, hidden: Pending[]) {
  client.setQueryData<Pending[]>(keys.inbox, (all) => {
    const known = new Set(all?.map((one) => one.request_id));
    return all && [...hidden.filter((one) => !known.has(one.request_id)), ...all];
  });
}

function useAnswering<Input extends { run: string }>(
  send: (input: Input) => Promise<unknown>,
  isAnswered: (input: Input, pending: Pending) => boolean,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onMutate: (input: Input) => hide(client, (pending) => isAnswered(input, pending)),
    onError: (_error, _input, context) => unhide(client, context?.hidden ?? []),
    onSettled: (_answer, _error, input) => {
      client.invalidateQueries({ queryKey: keys.run(input.run) });
      client.invalidateQueries({ queryKey: keys.inbox });
    },
  });
}

type RequestRef = { run: string; request: string };

const isThat = (input: RequestRef, pending: Pending) => pending.request_id === input.request;

/** Says yes to the plan that was read; with `plan`, to this one in its place. One that has replaced it meanwhile is not meant. */
export const useApprove = () =>
  useAnswering(
    ({ run, request, feedback, plan }: RequestRef & { feedback?: string; plan?: string }) =>
      post<Accepted>(of(run, `hitl/${request}/respond`), {
        response_type: plan === undefined ? 'approved' : 'modified',
        message: feedback,
        response_data: plan === undefined ? undefined : { plan },
      }),
    isThat,
  );

/** Says no to the plan that was read, and why: it is made again with that. */
export const useReject = () =>
  useAnswering(
    ({ run, request, feedback }: RequestRef & { feedback: string }) =>
      post<Accepted>(of(run, `hitl/${request}/respond`), {
        response_type: 'rejected',
        message: feedback,
      }),
    isThat,
  );

export type Answer = {
  run: string;
  request: string;
  response: ResponseType;
  message?: string;
  data?: JsonValue;
  grant?: GrantChoice;
};

/** Answers one question of a node or an agent: a permission, a question, a conflict. */
export const useRespond = () =>
  useAnswering(
    ({ run, request, response, message, data, grant }: Answer) =>
      post<Accepted>(of(run, `hitl/${request}/respond`), {
        response_type: response,
        message,
        response_data: data,
        grant,
      }),
    isThat,
  );

export type BudgetInput = { usd?: number; tokens?: number; calls?: number; wall_seconds?: number };

/** Resumes a paused, interrupted or failed run, with other limits when they are given. */
export const useResume = () =>
  useAnswering(
    ({ run, ...limits }: { run: string; budget?: BudgetInput; off?: LimitName[] }) =>
      post<Accepted>(of(run, 'resume'), Object.keys(limits).length > 0 ? limits : undefined),
    (input, pending) => pending.workflow_id === input.run,
  );

function useRunMutation<Input extends { run: string }, T = Accepted>(
  send: (input: Input) => Promise<T>,
  meta: { isHandledByPage?: boolean } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    meta,
    onSettled: (_answer, _error, input) => {
      client.invalidateQueries({ queryKey: keys.run(input.run) });
      client.invalidateQueries({ queryKey: keys.runs });
      client.invalidateQueries({ queryKey: keys.inbox });
    },
  });
}

type RunRef = { run: string };

export const useStart = () => useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'start')));
export const usePause = () => useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'pause')));
export const useCancel = () =>
  useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'cancel')));
/** Hides a run that has ended from lists, or shows it again. */
export const useArchive = () =>
  useRunMutation(({ run, isUndone }: RunRef & { isUndone: boolean }) =>
    post<Accepted>(of(run, isUndone ? 'unarchive' : 'archive')),
  );
export const useStep = () => useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'step')));
export const useContinue = () =>
  useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'continue')));
/** The run uses the checks that its profile has now. */
export const useChecksFromProfile = () =>
  useRunMutation(({ run }: RunRef) => post<Accepted>(of(run, 'checks-from-profile')));
export const useRemove = () =>
  useRunMutation(({ run }: RunRef) => remove(`/workflows/${encodeURIComponent(run)}`));

export const useSay = () =>
  useRunMutation(({ run, message }: RunRef & { message: string }) =>
    post<Accepted>(of(run, 'say'), { message }),
  );

export const useBreakpoints = () =>
  useRunMutation(({ run, nodes }: RunRef & { nodes: string[] }) =>
    put<Accepted>(of(run, 'breakpoints'), { nodes }),
  );

/** Where the run stops, all of it: nodes, and rules such as `tool:shell`. Answers with what may never be met. */
export const useStops = () =>
  useRunMutation(
    ({ run, breakpoints }: RunRef & { breakpoints: string[] }) =>
      put<Breakpoints>(of(run, 'breakpoints'), { breakpoints }),
    // The dialog shows the reason beside its fields.
    { isHandledByPage: true },
  );

/** An instruction, another next agent, or another team. */
export const useIntervene = () =>
  useRunMutation(
    ({ run, ...intervention }: RunRef & Intervene) =>
      post<InterventionAccepted>(of(run, 'intervene'), intervention),
    { isHandledByPage: true },
  );

/** The agent asks again before such calls. */
export const useRemoveRule = () =>
  useRunMutation(({ run, agent, rule }: RunRef & AgentRule) =>
    remove(of(run, `rules?${new URLSearchParams({ agent, rule })}`)),
  );

/** A new run from a past state. It waits for `useStart`. */
export const useFork = () =>
  useRunMutation(({ run, at, set }: RunRef & Partial<ForkRequest> & { at: number }) =>
    post<Accepted>(of(run, 'fork'), { at, set: set ?? {} }),
  );

/** Starts runs that wait to be told. */
export const useStartBatch = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[]) => post<BatchStarted>('/workflows/start-batch', { ids }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
};

/** Requests without an answer yet: the same input again has the same key, and so is the same run. */
const unanswered = new Map<string, string>();

async function once(input: unknown, send: (key: string) => Promise<Accepted>): Promise<Accepted> {
  const text = JSON.stringify(input);
  const key = unanswered.get(text) ?? newId();
  unanswered.set(text, key);
  try {
    const accepted = await send(key);
    unanswered.delete(text);
    return accepted;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 0) unanswered.delete(text);
    throw error;
  }
}

function useCreate<Input>(send: (input: Input, key: string) => Promise<Accepted>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => once(input, (key) => send(input, key)),
    // The start page shows the reason beside its fields.
    meta: { isHandledByPage: true },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** Starts a run: from an issue to a reviewed commit. */
export const useNewRun = () =>
  useCreate((input: Partial<NewWorkflow> & { worktree_path: string }, key: string) =>
    post<Accepted>('/workflows', input, key),
  );

/** Starts a workflow or an agent from a file. */
export const useNewTask = () =>
  useCreate((input: TaskInput, key: string) => post<Accepted>('/tasks', input, key));

/** Starts a review of changes that are there. */
export const useNewReview = () =>
  useCreate((input: Partial<NewReview> & { worktree_path: string }, key: string) =>
    post<Accepted>('/workflows/review', input, key),
  );
