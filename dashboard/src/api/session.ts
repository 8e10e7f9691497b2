// Who the server is, and signing this browser in and out.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isString, remember, remembered } from '@/lib/storage';
import { namedHome, nameHome } from '@/model/cli/cli';
import { homeToName } from '@/model/session/session';
import type { SessionState } from '@/wire/SessionState';
import { setSignedOut } from './connection';
import { get, post, remove } from './http';
import { keys } from './keys';

const HOME = 'home';
const isHome = (value: unknown): value is string | null => value === null || isString(value);
/** What this browser learned at another visit: pages need not wait to learn it again. */
const before = remembered<string | null | undefined>(HOME, isHome, undefined);
nameHome(before ?? null);

/** From then on commands name the right home. */
export function useSession() {
  return useQuery({
    queryKey: keys.session,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const session = await get<SessionState>('/session/state', {}, signal);
      nameHome(homeToName(session, namedHome()));
      if (session.is_signed_in) remember(HOME, namedHome());
      return session;
    },
  });
}

/** Whether commands name the right home already. A server that does not answer does not block the page. */
export function useIsHomeKnown(): boolean {
  const { data, failureCount } = useSession();
  return before !== undefined || data !== undefined || failureCount > 0;
}

/** The token becomes a cookie that pages cannot read; everything is then read anew. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => post<void>('/session', { token }),
    onSuccess: () => {
      setSignedOut(false);
      return client.resetQueries();
    },
  });
}

/** Forgets this browser. Others stay signed in. */
export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove('/session'),
    onSuccess: () => {
      client.clear();
      setSignedOut(true);
    },
  });
}
