import { useMemory } from '@/api/memory';
import { memoryCli } from '@/model/cli/cli-memory';
import { CliCommand } from '@/ui/cli-command';
import { CodeBlock } from '@/ui/code-block';
import { CodedText } from '@/ui/coded-text';
import { Skeleton } from '@/ui/skeleton';
import { TimeAgo } from '@/ui/time-ago';
import type { MemoryShown } from '@/wire/MemoryShown';
import { ForgetMemory } from './forget-memory';
import { MemoryLinks } from './memory-links';

type MemoryVersionsProps = { entry: MemoryShown };

/** All versions of an entry, newest first, and the way to remove it. */
export function MemoryVersions({ entry }: MemoryVersionsProps) {
  const { memory_id, owner, expires_at } = entry;
  const { data, error } = useMemory(memory_id);
  const versions = [...(data?.versions ?? [])].reverse();
  return (
    <div className="flex flex-col gap-3">
      {owner !== '' && <p className="text-xs wrap-anywhere text-muted">Belongs to {owner}</p>}
      {expires_at && (
        <p className="text-xs text-muted">Kept until {new Date(expires_at).toLocaleString()}</p>
      )}
      {error && (
        <p role="alert" className="text-sm text-failed">
          <CodedText>{error.message}</CodedText>
        </p>
      )}
      {!data && !error && <Skeleton className="h-16" />}
      {data && <MemoryLinks detail={data} />}
      {versions.map(({ version, content, created_at, created_by }) => (
        <section key={version} aria-label={`Version ${version}`} className="flex flex-col gap-1">
          <p className="text-xs text-muted">
            Version {version}, by {created_by}, <TimeAgo at={created_at} />
          </p>
          <CodeBlock code={content} wrap maxHeight={240} />
        </section>
      ))}
      <div className="flex items-center gap-2">
        <ForgetMemory id={memory_id} />
        <CliCommand command={memoryCli.show(memory_id)} size="sm" />
      </div>
    </div>
  );
}
