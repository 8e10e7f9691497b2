import { FileText } from 'lucide-react';
import { useState } from 'react';
import { shown } from '@/lib/visible';
import type { ChangedFile } from '@/wire/ChangedFile';
import { Counts } from '../diff/counts';
import { FileViewer } from './file-viewer';

type ChangedFilesProps = {
  id: string;
  files: ChangedFile[];
  /** The moment that is looked at is not now; files are. */
  isPast: boolean;
};

export function ChangedFiles({ id, files, isPast }: ChangedFilesProps) {
  const [path, setPath] = useState<string | null>(null);
  return (
    <>
      <ul className="scroll-quiet relative max-h-96 overflow-y-auto">
        {files.map((file) => (
          <li key={file.path} className="border-t border-line first:border-t-0">
            <button
              type="button"
              onClick={() => setPath(file.path)}
              className="flex w-full items-center gap-2 px-4 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <FileText aria-hidden className="size-4 shrink-0 text-subtle" />
              <span className="min-w-0 flex-1 truncate font-mono text-xs">{shown(file.path)}</span>
              <Counts
                added={file.added ?? 0}
                removed={file.removed ?? 0}
                isBinary={file.added === null}
              />
            </button>
          </li>
        ))}
      </ul>
      {path !== null && (
        <FileViewer id={id} path={path} isPast={isPast} onClose={() => setPath(null)} />
      )}
    </>
  );
}
