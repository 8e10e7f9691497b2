import { TriangleAlert } from 'lucide-react';
import { cn } from '@/lib/cn';
import { formatBytes } from '@/lib/format';
import { shown } from '@/lib/visible';
import { TimeAgo } from '@/ui/time-ago';
import type { ArtifactVersionShown } from '@/wire/ArtifactVersionShown';

type VersionListProps = {
  /** The newest first. */
  versions: readonly ArtifactVersionShown[];
  chosen: string;
  onChoose: (version: string) => void;
};

/** Who wrote which version, and why. */
export function VersionList({ versions, chosen, onChoose }: VersionListProps) {
  return (
    <ol aria-label="Versions" className="flex flex-col gap-1">
      {versions.map((one) => (
        <li key={one.version}>
          <button
            type="button"
            aria-pressed={one.version === chosen}
            onClick={() => onChoose(one.version)}
            className={cn(
              'w-full rounded-md border px-2.5 py-1.5 text-left text-xs hover:bg-hover',
              one.version === chosen ? 'border-accent bg-accent-soft' : 'border-line',
            )}
          >
            <span className="flex items-baseline gap-2">
              <span className="font-mono font-medium">{one.version}</span>
              <span className="text-muted">{formatBytes(one.size_bytes)}</span>
              <TimeAgo at={one.created_at} className="ml-auto text-muted" />
            </span>
            {one.created_by !== null && (
              <span className="block truncate text-muted">by {shown(one.created_by)}</span>
            )}
            {one.reason !== null && (
              <span className="block text-pretty wrap-anywhere text-muted">
                {shown(one.reason)}
              </span>
            )}
            {one.conflicts_with !== undefined && (
              <span className="flex items-center gap-1 text-failed">
                <TriangleAlert aria-hidden className="size-3" />
                its author had not seen {one.conflicts_with}
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}
