import { ApiError } from '@/api/http';
import { useFile } from '@/api/runs';
import { languageOf } from '@/lib/language';
import { shown } from '@/lib/visible';
import { CodeBlock } from '@/ui/code-block';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

const MAX_FILE_CHARS = 400_000;

/** The content of a file that holds text. */
export function FileText({ id, path }: { id: string; path: string }) {
  const file = useFile(id, path);
  if (file.error)
    return (
      <ErrorState
        title="Could not load the file"
        message={file.error.message}
        hint={file.error instanceof ApiError ? file.error.hint : null}
        onRetry={() => void file.refetch()}
      />
    );
  if (file.data === undefined) return <Skeleton lines={12} />;
  const text = file.data;
  if (text.includes('\0'))
    return <p className="text-sm text-muted">This file is not text. Download it to open it.</p>;
  return (
    <>
      <CodeBlock
        code={shown(text.slice(0, MAX_FILE_CHARS))}
        language={languageOf(path)}
        lineNumbers
      />
      {text.length > MAX_FILE_CHARS && (
        <p className="mt-2 text-sm text-muted">
          The rest is not shown. Download the file to see all of it.
        </p>
      )}
    </>
  );
}
