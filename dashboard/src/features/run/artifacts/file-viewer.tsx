import { ApiError } from '@/api/http';
import { useFile } from '@/api/runs';
import { download } from '@/lib/download';
import { languageOf } from '@/lib/language';
import { shown } from '@/lib/visible';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type FileViewerProps = { id: string; path: string; isPast: boolean; onClose: () => void };

const MAX_FILE_CHARS = 400_000;

/** A file of the worktree, as it is now. */
export function FileViewer({ id, path, isPast, onClose }: FileViewerProps) {
  const file = useFile(id, path);
  const text = file.data ?? '';
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="xl"
      title={shown(path)}
      description={
        isPast ? 'This is the current content, not the content at the selected moment.' : undefined
      }
      footer={
        <>
          <Button
            disabled={file.data === undefined}
            onClick={() => download(path.split('/').at(-1) ?? 'file', text)}
          >
            Download
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {file.error ? (
        <ErrorState
          title="Could not load the file"
          message={file.error.message}
          hint={file.error instanceof ApiError ? file.error.hint : null}
          onRetry={() => void file.refetch()}
        />
      ) : file.data === undefined ? (
        <Skeleton lines={12} />
      ) : (
        <>
          <CodeBlock
            code={shown(text.slice(0, MAX_FILE_CHARS))}
            language={languageOf(path)}
            lineNumbers
          />
          {text.length > MAX_FILE_CHARS && (
            <p className="mt-2 text-sm text-muted">
              The rest is not shown; download it to see all.
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
