// Where the change of a run goes: merges and pull requests.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Diff } from '@/wire/Diff';
import type { Merge } from '@/wire/Merge';
import type { MergeAnswer } from '@/wire/MergeAnswer';
import type { OpenPullRequest } from '@/wire/OpenPullRequest';
import type { PullRequestDetail } from '@/wire/PullRequestDetail';
import type { PullRequestShown } from '@/wire/PullRequestShown';
import { get, post } from './http';
import { keys } from './keys';

const of = (run: string, what: string) => `/workflows/${encodeURIComponent(run)}/${what}`;

/** How often a pull request is looked at while its page is open. */
const REFRESH_MS = 30_000;

function useDelivery<Input extends { run: string }, T>(send: (input: Input) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    // The dialog shows why it was refused.
    meta: { isHandledByPage: true },
    onSettled: (_answer, _error, { run }) => {
      client.invalidateQueries({ queryKey: keys.run(run) });
      client.invalidateQueries({ queryKey: keys.runs });
    },
  });
}

export const useMerge = () =>
  useDelivery(({ run, ...body }: Merge & { run: string }) =>
    post<MergeAnswer>(of(run, 'merge'), body),
  );

export const useOpenPullRequest = () =>
  useDelivery(({ run, ...body }: OpenPullRequest & { run: string }) =>
    post<PullRequestShown>(of(run, 'pull-request'), body),
  );

/** The branch that has the change of a completed run already. A person may merge it with git at any time: it is looked for
 * again when they come back to the page. */
export const useMergedInto = (run: string, enabled: boolean) =>
  useQuery({
    queryKey: keys.of(run, 'diff', { stat: true }),
    queryFn: ({ signal }) => get<Diff>(of(run, 'diff'), { stat: true }, signal),
    select: ({ merged_into }) => merged_into,
    refetchOnWindowFocus: true,
    enabled,
  });

/** How the pull request of a run stands at its host. */
export const usePullRequest = (run: string) =>
  useQuery({
    queryKey: keys.of(run, 'pull-request'),
    queryFn: ({ signal }) => get<PullRequestDetail>(of(run, 'pull-request'), {}, signal),
    refetchInterval: REFRESH_MS,
    retry: false,
  });
