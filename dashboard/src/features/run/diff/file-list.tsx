import { Search } from 'lucide-react';
import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import { shown } from '@/lib/visible';
import type { DiffFile } from '@/model/diff/unified-diff';
import { Input } from '@/ui/input';
import { Counts } from './counts';

type FileListProps = {
  files: DiffFile[];
  filter: string;
  onFilter: (filter: string) => void;
  /** How many comments stand in each file. */
  comments: ReadonlyMap<string, number>;
  onGo: (path: string) => void;
  className?: string;
};

export function FileList({ files, filter, onFilter, comments, onGo, className }: FileListProps) {
  const found = files.filter((file) => matches(file, filter));
  return (
    <nav aria-label="Changed files" className={cn('flex min-h-0 flex-col gap-2', className)}>
      <Input
        type="search"
        aria-label="Filter files"
        placeholder="Filter files"
        icon={<Search />}
        value={filter}
        onChange={(event) => onFilter(event.target.value)}
      />
      <ul className="scroll-quiet relative -mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {found.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              onClick={() => onGo(file.path)}
              title={shown(file.path)}
              className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <FileName path={file.path} isGone={file.kind === 'delete'} />
              {(comments.get(file.path) ?? 0) > 0 && (
                <span className="tabular rounded-full bg-accent-soft px-1.5 text-2xs text-accent-text">
                  <span aria-hidden>{comments.get(file.path)}</span>
                  <span className="sr-only">{plural(comments.get(file.path) ?? 0, 'comment')}</span>
                </span>
              )}
              <Counts added={file.added} removed={file.removed} isBinary={file.isBinary} />
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="px-2 py-3 text-sm text-muted">No matching files.</li>}
      </ul>
    </nav>
  );
}

export const matches = (file: DiffFile, filter: string) =>
  file.path.toLowerCase().includes(filter.trim().toLowerCase());

function FileName({ path, isGone }: { path: string; isGone: boolean }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <span className="flex min-w-0 flex-1 flex-col">
      <span className={cn('truncate text-xs', isGone && 'text-muted line-through')}>
        {shown(path.slice(at))}
      </span>
      {at > 0 && (
        <span className="truncate text-2xs text-subtle">{shown(path.slice(0, at - 1))}</span>
      )}
    </span>
  );
}
