import { KeyRound, LogOut, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useSignOut } from '@/api/session';
import { useRotateToken, useSettings } from '@/api/settings';
import { CommandLine } from '@/features/settings/parts/command-line';
import { Notice } from '@/features/settings/parts/notice';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { PageHeader } from '@/ui/page-header';

const modes = {
  token: 'Whoever has the token of this server is let in.',
  jwt: 'Whoever has a signed token with a role is let in (auth.mode is jwt).',
  none: 'Everybody on this machine is let in (auth.mode is none): there is no token to keep.',
};

export default function TokensPage() {
  const { data } = useSettings();
  const [asking, setAsking] = useState(false);
  const rotate = useRotateToken();
  const signOut = useSignOut();
  const mode = data?.server.auth.mode ?? 'token';
  const renew = () =>
    rotate.mutate(undefined, {
      onSuccess: () =>
        toast({
          title: 'The token is a new one',
          description: 'This browser stays signed in.',
          tone: 'success',
        }),
      onSettled: () => setAsking(false),
    });
  return (
    <>
      <PageHeader title="Sign-in" />
      <SettingsSection intro={modes[mode]}>
        <Card title="How it works">
          <div className="flex flex-col gap-2 text-pretty">
            <p>
              The token is made at the server’s first start and kept in the file <code>token</code>{' '}
              in the home of Amelia (<code>~/.amelia/token</code>, unless <code>--home</code> or{' '}
              <code>AMELIA_HOME</code> says otherwise), readable by you alone. Commands read it
              there.
            </p>
            <p>
              A link signs a browser in: the token becomes a cookie that pages cannot read. It is
              never shown here, and never kept in the page.
            </p>
            <div className="mt-1 flex flex-col gap-1.5">
              <CommandLine command={cli.dashboard()} about="opens this page, signed in" />
              <CommandLine command={cli.showToken()} about="shows the token" />
            </div>
          </div>
        </Card>
        <Card title="This browser">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-60 flex-1 text-pretty text-muted">
              Signing out forgets the cookie of this browser. Other browsers and programs go on.
            </p>
            <Button
              icon={<LogOut />}
              loading={signOut.isPending}
              disabled={mode === 'none'}
              onClick={() => signOut.mutate()}
            >
              Sign out
            </Button>
          </div>
          {signOut.error && (
            <p role="alert" className="mt-2 text-failed">
              {signOut.error.message}
            </p>
          )}
        </Card>
        <Card title="A new token">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-60 flex-1 text-pretty text-muted">
              When somebody may have seen the token, make a new one. The old one is worth nothing
              from that moment.
            </p>
            <Button
              variant="danger-quiet"
              icon={<RefreshCw />}
              disabled={mode !== 'token'}
              onClick={() => setAsking(true)}
            >
              Make a new token
            </Button>
          </div>
        </Card>
        {rotate.error && (
          <Notice tone="error" title="The token was not changed">
            {rotate.error.message}
          </Notice>
        )}
        <p className="flex items-center gap-2 px-1 text-xs text-muted">
          <KeyRound aria-hidden className="size-4 shrink-0" />
          Keys of models are not kept here at all: profiles only name the variables that hold them.
        </p>
      </SettingsSection>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Make a new token?"
        description="Every other browser is signed out, and programs that were given the old token stop working until they get the new one. Commands on this machine find it by themselves; this browser stays signed in. Runs are not touched."
        confirmLabel="Make a new token"
        danger
        busy={rotate.isPending}
        onConfirm={renew}
      />
    </>
  );
}
