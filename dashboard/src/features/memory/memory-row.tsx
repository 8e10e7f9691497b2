import { Badge } from '@/ui/badge';
import { Collapsible } from '@/ui/collapsible';
import { TimeAgo } from '@/ui/time-ago';
import { VisibleText } from '@/ui/visible-text';
import type { MemoryShown } from '@/wire/MemoryShown';
import { MemoryVersions } from './memory-versions';

type MemoryRowProps = { entry: MemoryShown; defaultOpen?: boolean };

/** An entry: its key and first words; opened, its versions. */
export function MemoryRow({ entry, defaultOpen = false }: MemoryRowProps) {
  const { memory_id, key, content, scope, created_by, created_at, part_of, method } = entry;
  return (
    <li>
      <Collapsible
        defaultOpen={defaultOpen}
        title={
          <>
            <code className="font-medium">{key ?? memory_id}</code>{' '}
            <span className="text-xs text-muted">
              <VisibleText>{content.split('\n', 1)[0] ?? ''}</VisibleText>
            </span>
          </>
        }
        meta={
          <>
            <span className="text-xs text-subtle max-sm:hidden">
              {created_by}, <TimeAgo at={created_at} />
            </span>{' '}
            {method && <Badge tone="accent">summary</Badge>}
            {part_of && <Badge>in {part_of}</Badge>}
            <Badge tone="outline">{scope}</Badge>
          </>
        }
      >
        <MemoryVersions entry={entry} />
      </Collapsible>
    </li>
  );
}
