import { Link } from 'react-router';
import { VisibleText } from '@/ui/visible-text';
import type { MemoryDetail } from '@/wire/MemoryDetail';

type MemoryLinksProps = { detail: MemoryDetail };

/** From a summary to the entries in it, and from an entry to its summary. */
export function MemoryLinks({ detail }: MemoryLinksProps) {
  const { part_of, method, sources } = detail;
  return (
    <>
      {part_of && (
        <p className="text-xs text-muted">
          Searches find the summary <EntryLink id={part_of} /> in its place.
        </p>
      )}
      {method && (
        <section aria-label="Entries in this summary" className="flex flex-col gap-1">
          <p className="text-xs text-muted">
            {method === 'extractive' ? 'The first sentences of' : 'A summary of'} these entries.
            Searches find them again if you remove it.
          </p>
          <ul className="flex flex-col gap-0.5">
            {sources.map(({ memory_id, key, content }) => (
              <li key={memory_id} className="truncate text-xs">
                <EntryLink id={memory_id} />{' '}
                <code>
                  <VisibleText>{key ?? ''}</VisibleText>
                </code>{' '}
                <span className="text-muted">
                  <VisibleText>{content.split('\n', 1)[0] ?? ''}</VisibleText>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

type EntryLinkProps = { id: string };

function EntryLink({ id }: EntryLinkProps) {
  return (
    <Link to={`/memory?entry=${id}`} className="font-medium underline underline-offset-3">
      {id}
    </Link>
  );
}
