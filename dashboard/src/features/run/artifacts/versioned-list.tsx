import { FileText, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { formatBytes, plural } from '@/lib/format';
import { shown } from '@/lib/visible';
import { Badge } from '@/ui/badge';
import type { ArtifactShown } from '@/wire/ArtifactShown';
import { ArtifactDialog } from './artifact-dialog';

type VersionedListProps = { run: string; artifacts: readonly ArtifactShown[]; count: number };

/** Files with versions; a press shows them. */
export function VersionedList({ run, artifacts, count }: VersionedListProps) {
  const [path, setPath] = useState<string | null>(null);
  const open = artifacts.find((artifact) => artifact.path === path);
  return (
    <>
      <ul aria-label="Artifacts" className="scroll-quiet relative max-h-96 overflow-y-auto">
        {artifacts.map((artifact) => (
          <li key={artifact.path} className="border-t border-line first:border-t-0">
            <button
              type="button"
              onClick={() => setPath(artifact.path)}
              className="flex w-full items-start gap-2 px-4 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <FileText aria-hidden className="mt-0.5 size-4 shrink-0 text-subtle" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-xs">{shown(artifact.path)}</span>
                <span className="block text-2xs text-pretty text-muted">
                  {factsOf(artifact).join(' · ')}
                </span>
              </span>
              {artifact.has_conflict && (
                <Badge tone="failed" icon={<TriangleAlert />}>
                  conflict
                </Badge>
              )}
              {artifact.tags.map((tag) => (
                <Badge key={tag} tone="outline">
                  {shown(tag)}
                </Badge>
              ))}
              <Badge mono>{artifact.version}</Badge>
            </button>
          </li>
        ))}
      </ul>
      {open && (
        <ArtifactDialog run={run} artifact={open} count={count} onClose={() => setPath(null)} />
      )}
    </>
  );
}

function factsOf({ description, size_bytes, created_by, versions }: ArtifactShown): string[] {
  const facts = [
    description === null ? null : shown(description),
    formatBytes(size_bytes),
    versions > 1 ? plural(versions, 'version') : null,
    created_by === null ? null : `by ${created_by}`,
  ];
  return facts.filter((fact) => fact !== null);
}
