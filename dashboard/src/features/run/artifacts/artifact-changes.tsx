import { useArtifactDiff } from '@/api/artifacts';
import { CodeBlock } from '@/ui/code-block';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type ArtifactChangesProps = { run: string; path: string; from: string; to: string };

/** What two versions differ in. */
export function ArtifactChanges({ run, path, from, to }: ArtifactChangesProps) {
  const { data, error, isFetching, refetch } = useArtifactDiff(run, path, from, to);
  if (error)
    return (
      <ErrorState
        title="Could not compare the versions"
        message={error.message}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  if (!data) return <Skeleton className="h-40" />;
  const reason = data.is_binary
    ? 'One of the versions is not text.'
    : data.is_too_long
      ? 'The versions are too long to compare.'
      : data.diff === ''
        ? 'The versions are the same.'
        : null;
  if (reason !== null) return <p className="text-sm text-muted">{reason}</p>;
  return <CodeBlock code={data.diff} language="diff" title={`${from} → ${to}`} wrap />;
}
