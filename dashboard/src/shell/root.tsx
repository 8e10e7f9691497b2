// The shell with its live parts: the connection to the server, and whether we are signed in.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect } from 'react';
import { followBoard } from '@/api/board';
import { setSignedOut, useConnection } from '@/api/connection';
import { onSignedOut } from '@/api/http';
import { useIsHomeKnown } from '@/api/session';
import { namedHome } from '@/model/cli/cli';
import { AppShell } from '@/shell/app-shell';
import { ConnectionChip } from '@/shell/connection-chip';
import { DemoBanner } from '@/shell/demo-banner';

type RootProps = {
  /** In the place of everything while the server does not know this browser. */
  signIn: ReactNode;
};

export function Root({ signIn }: RootProps) {
  const client = useQueryClient();
  const isSignedOut = useConnection((state) => state.isSignedOut);
  useEffect(() => onSignedOut(() => setSignedOut(true)), []);
  useEffect(() => (isSignedOut ? undefined : followBoard(client)), [client, isSignedOut]);
  if (isSignedOut) return <Suspense fallback={null}>{signIn}</Suspense>;
  return <Shell />;
}

/** Commands are made as pages are drawn: with another home, everything is drawn anew. */
function Shell() {
  const isReady = useIsHomeKnown();
  return (
    <AppShell
      key={namedHome()}
      isReady={isReady}
      status={<ConnectionChip />}
      notice={<DemoBanner />}
    />
  );
}
