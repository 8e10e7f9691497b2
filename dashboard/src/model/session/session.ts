// What the server says of itself, and what follows for commands that pages show.

import { cli, namedHome } from '@/model/cli/cli';
import type { SessionState } from '@/wire/SessionState';

/**
 * The home that commands must name to reach the server; `null` when they find it by themselves. Strangers are not told
 * where it is: then it is what this browser learned before.
 */
export function homeToName(
  session: Pick<SessionState, 'home' | 'is_default_home'>,
  before: string | null,
): string | null {
  return session.is_default_home ? null : (session.home ?? before);
}

export type CommandToSignIn = {
  line: string;
  /** It names `DIR`, because this browser does not know the home. */
  isToBeFilled: boolean;
};

/** Opens the dashboard, signed in. */
export function commandToSignIn(session: SessionState | undefined): CommandToSignIn {
  const isToBeFilled = session?.is_default_home === false && namedHome() === null;
  return { line: isToBeFilled ? 'amelia --home DIR dashboard' : cli.dashboard(), isToBeFilled };
}
