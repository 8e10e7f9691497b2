// What a person does to a run. Each is shown as done at once, and taken back with the reason when the server refuses;
// the reason reaches the screen through the mutation's error.

import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { newId } from '@/lib/id';
import type { Accepted } from '@/wire/Accepted';
import type { BatchStarted } from '@/wire/BatchStarted';
import type { Breakpoints } from '@/wire/Breakpoints';
import type { ForkOrder } from '@/wire/ForkOrder';
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

function useAnswering<Order extends { run: string }>(
  send: (order: Order) => Promise<unknown>,
  isAnswered: (order: Order, pending: Pending) => boolean,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onMutate: (order: Order) => hide(client, (pending) => isAnswered(order, pending)),
    onError: (_error, _order, context) => unhide(client, context?.hidden ?? []),
    onSettled: (_answer, _error, order) => {
      client.invalidateQueries({ queryKey: keys.run(order.run) });
      client.invalidateQueries({ queryKey: keys.inbox });
    },
  });
}

type OfRequest = { run: string; request: string };

const isThat = (order: OfRequest, pending: Pending) => pending.request_id === order.request;

/** Says yes to the plan that was read; with `plan`, to this one in its place. One that has replaced it meanwhile is not meant. */
export const useApprove = () =>
  useAnswering(
    ({ run, request, feedback, plan }: OfRequest & { feedback?: string; plan?: string }) =>
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
    ({ run, request, feedback }: OfRequest & { feedback: string }) =>
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
};

/** Answers one question of a node or an agent: a permission, a question, a conflict. */
export const useRespond = () =>
  useAnswering(
    ({ run, request, response, message, data }: Answer) =>
      post<Accepted>(of(run, `hitl/${request}/respond`), {
        response_type: response,
        message,
        response_data: data,
      }),
    isThat,
  );

export type BudgetWanted = { usd?: number; tokens?: number; calls?: number; wall_seconds?: number };

/** Lets a paused, interrupted or failed run go on, with other limits when they are given. */
export const useResume = () =>
  useAnswering(
    ({ run, budget }: { run: string; budget?: BudgetWanted }) =>
      post<Accepted>(of(run, 'resume'), budget ? { budget } : undefined),
    (order, pending) => pending.workflow_id === order.run,
  );

function useOrder<Order extends { run: string }, T = Accepted>(send: (order: Order) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSettled: (_answer, _error, order) => {
      client.invalidateQueries({ queryKey: keys.run(order.run) });
      client.invalidateQueries({ queryKey: keys.runs });
      client.invalidateQueries({ queryKey: keys.inbox });
    },
  });
}

type OfRun = { run: string };

export const useStart = () => useOrder(({ run }: OfRun) => post<Accepted>(of(run, 'start')));
export const usePause = () => useOrder(({ run }: OfRun) => post<Accepted>(of(run, 'pause')));
export const useCancel = () => useOrder(({ run }: OfRun) => post<Accepted>(of(run, 'cancel')));
export const useStep = () => useOrder(({ run }: OfRun) => post<Accepted>(of(run, 'step')));
export const useContinue = () => useOrder(({ run }: OfRun) => post<Accepted>(of(run, 'continue')));
export const useRemove = () =>
  useOrder(({ run }: OfRun) => remove(`/workflows/${encodeURIComponent(run)}`));

export const useSay = () =>
  useOrder(({ run, message }: OfRun & { message: string }) =>
    post<Accepted>(of(run, 'say'), { message }),
  );

export const useBreakpoints = () =>
  useOrder(({ run, nodes }: OfRun & Breakpoints) =>
    put<Accepted>(of(run, 'breakpoints'), { nodes }),
  );

/** A new run from a past state. It waits for `useStart`. */
export const useFork = () =>
  useOrder(({ run, at, set }: OfRun & Partial<ForkOrder> & { at: number }) =>
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

/** Orders that nobody has answered: the same order again has the same key, and so is the same run. */
const unanswered = new Map<string, string>();

async function once(order: unknown, send: (key: string) => Promise<Accepted>): Promise<Accepted> {
  const text = JSON.stringify(order);
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

function useCreate<Order>(send: (order: Order, key: string) => Promise<Accepted>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: Order) => once(order, (key) => send(order, key)),
    // Whoever orders sees the reason where the order is written.
    meta: { isToldThere: true },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** Orders a run: from an issue to a reviewed commit. */
export const useNewRun = () =>
  useCreate((order: Partial<NewWorkflow> & { worktree_path: string }, key: string) =>
    post<Accepted>('/workflows', order, key),
  );

/** Orders a review of changes that are there. */
export const useNewReview = () =>
  useCreate((order: Partial<NewReview> & { worktree_path: string }, key: string) =>
    post<Accepted>('/workflows/review', order, key),
  );
