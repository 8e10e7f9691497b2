// The shell with its live parts: the connection to the server, and whether we are signed in.
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { followBoard } from '@/api/board';
import { setSignedOut, useConnection } from '@/api/connection';
import { onSignedOut } from '@/api/http';
import { AppShell } from '@/shell/app-shell';
import { ConnectionChip } from '@/shell/connection-chip';

const SignIn = lazy(() => import('@/features/sign-in/page'));

export function Root() {
  const client = useQueryClient();
  const isSignedOut = useConnection((state) => state.isSignedOut);
  useEffect(() => onSignedOut(() => setSignedOut(true)), []);
  useEffect(() => (isSignedOut ? undefined : followBoard(client)), [client, isSignedOut]);
  if (isSignedOut) {
    return (
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    );
  }
  return <AppShell status={<ConnectionChip />} />;
}
