import { artifactPath, useArtifactText } from '@/api/artifacts';
import { languageOf } from '@/lib/language';
import { shown } from '@/lib/visible';
import { isPicture, isText } from '@/model/artifacts/versions';
import { CodeBlock } from '@/ui/code-block';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type ArtifactContentProps = { run: string; path: string; version: string; type: string };

/** What is in a version: a text or a picture; anything else can be downloaded. */
export function ArtifactContent({ run, path, version, type }: ArtifactContentProps) {
  const text = useArtifactText(run, path, version, isText(type));
  if (isPicture(type))
    return (
      <img
        src={artifactPath(run, path, version)}
        alt={shown(path)}
        className="max-h-[55vh] max-w-full self-start"
      />
    );
  if (!isText(type))
    return (
      <p className="text-sm text-muted">
        Files of the type {shown(type)} cannot be shown here. Download the file to open it.
      </p>
    );
  if (text.error)
    return (
      <ErrorState
        title="Could not read the version"
        message={text.error.message}
        onRetry={() => void text.refetch()}
        retrying={text.isFetching}
      />
    );
  if (text.data === undefined) return <Skeleton className="h-40" />;
  return <CodeBlock code={text.data} language={languageOf(path)} lineNumbers wrap />;
}
