import { LogIn } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError } from '@/api/http';
import { useSignIn } from '@/api/session';
import { setPageTitle } from '@/lib/title';
import { tokenIn } from '@/model/session/pasted-token';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { SignInCommand } from './sign-in-command';

function messageOf(error: Error | null): string | undefined {
  if (!error) return undefined;
  if (error instanceof ApiError && error.status === 401)
    return 'This is not the current token of this server. It may have been replaced.';
  const hint = error instanceof ApiError && error.hint ? `: ${error.hint}` : '';
  return error.message + hint;
}

/** Whether the server sent the browser here because its link works only once. */
const hasUsedLink = () => location.hash === '#used-link';

/** In place of everything while the server does not know this browser. */
export default function SignInPage() {
  const [pasted, setPasted] = useState('');
  const [isEmpty, setIsEmpty] = useState(false);
  const signIn = useSignIn();
  useEffect(() => setPageTitle('Sign in'), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = tokenIn(pasted);
    setIsEmpty(token === '');
    if (token !== '') signIn.mutate(token);
  };
  const error = isEmpty ? 'This does not contain a token.' : messageOf(signIn.error);
  return (
    <main className="flex min-h-full items-start justify-center px-4 py-[12vh]">
      <div className="w-full max-w-100">
        <div className="mb-5 flex items-center gap-3">
          <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" className="size-9" />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Sign in to Amelia</h1>
            <p className="text-muted">
              {hasUsedLink()
                ? 'This link was already used, or has expired. Get a new one with the command below.'
                : 'This browser is not signed in yet.'}
            </p>
          </div>
        </div>
        <section className="rounded-lg border border-line bg-panel p-5 shadow-low">
          <SignInCommand />
          <form onSubmit={submit} className="mt-5 border-t border-line pt-5">
            <Field
              label="Or paste the token"
              hint="The token, or the link that contains it."
              error={error}
            >
              {(control) => (
                <Input
                  {...control}
                  autoFocus
                  type="password"
                  mono
                  autoComplete="off"
                  spellCheck={false}
                  value={pasted}
                  onChange={(event) => {
                    setPasted(event.target.value);
                    setIsEmpty(false);
                    signIn.reset();
                  }}
                />
              )}
            </Field>
            <Button
              type="submit"
              variant="primary"
              className="mt-3 w-full"
              icon={<LogIn />}
              loading={signIn.isPending}
              disabled={pasted.trim() === ''}
            >
              Sign in
            </Button>
          </form>
        </section>
        <p className="mt-3 px-1 text-xs text-pretty text-muted">
          The token is stored as a cookie in this browser. There is no account, and nothing leaves
          your machine.
        </p>
      </div>
    </main>
  );
}
