import { useSession } from '@/api/session';
import { commandToSignIn } from '@/model/session/session';
import { CopyButton } from '@/ui/copy-button';

/** The command that opens this page, signed in. */
export function SignInCommand() {
  const { data: session } = useSession();
  const { line, isToBeFilled } = commandToSignIn(session);
  return (
    <>
      <p className="mb-2 text-pretty">
        Run this on the server’s machine. It opens this page and signs you in.
      </p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
        <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere text-code-fg">{line}</code>
        <CopyButton text={line} label="Copy command" />
      </div>
      {isToBeFilled && (
        <p className="mt-2 text-xs text-pretty text-muted">
          <code>DIR</code> is the home directory this server was started with.
        </p>
      )}
      <p className="mt-2 text-xs text-pretty text-muted">
        {session?.is_demo ? (
          'Or open the link that the demo printed in its terminal.'
        ) : (
          <>
            Or open the link that <code>amelia server</code> prints when it starts.
          </>
        )}
      </p>
    </>
  );
}
