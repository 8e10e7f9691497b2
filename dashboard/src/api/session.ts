// Signing this browser in and out.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setSignedOut } from './connection';
import { post, remove } from './http';

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
