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
import { CodedText } from '@/ui/coded-text';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { PageHeader } from '@/ui/page-header';

const modes = {
  token: 'Anyone with this server’s token can sign in.',
  jwt: 'Anyone with a signed token that has a role can sign in (auth.mode is jwt).',
  none: 'Anyone on this machine has access without a token (auth.mode is none).',
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
          title: 'Token replaced',
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
              The server creates the token when it first starts and stores it in the file{' '}
              <code>token</code> in Amelia’s home (<code>~/.amelia/token</code>, unless{' '}
              <code>--home</code> or <code>AMELIA_HOME</code> is set). Only you can read the file.
              Commands read the token from there.
            </p>
            <p>
              The sign-in link stores the token in a cookie that pages cannot read. The token is
              never shown here or stored in the page.
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
              Signing out deletes this browser’s cookie. Other browsers and programs stay signed in.
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
              <CodedText>{signOut.error.message}</CodedText>
            </p>
          )}
        </Card>
        <Card title="Replace the token">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-60 flex-1 text-pretty text-muted">
              If the token may have leaked, replace it. The old token stops working immediately.
            </p>
            <Button
              variant="danger-quiet"
              icon={<RefreshCw />}
              disabled={mode !== 'token'}
              onClick={() => setAsking(true)}
            >
              Replace token
            </Button>
          </div>
        </Card>
        {rotate.error && (
          <Notice tone="error" title="Could not replace the token">
            <CodedText>{rotate.error.message}</CodedText>
          </Notice>
        )}
        <p className="flex items-center gap-2 px-1 text-xs text-muted">
          <KeyRound aria-hidden className="size-4 shrink-0" />
          Model API keys are never stored here. Profiles only name the environment variables that
          hold them.
        </p>
      </SettingsSection>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Replace the token?"
        description="All other browsers are signed out, and programs that use the old token stop working until you give them the new one. Commands on this machine find it automatically, and this browser stays signed in. Runs are not affected."
        confirmLabel="Replace token"
        danger
        busy={rotate.isPending}
        onConfirm={renew}
      />
    </>
  );
}
