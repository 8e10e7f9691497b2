import { Paperclip } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '@/lib/format';
import { shown } from '@/lib/visible';
import type { RunAttachment } from '@/model/run/attachments';
import { FileViewer } from './file-viewer';

type AttachmentsProps = { id: string; files: RunAttachment[] };

/** The files that the agents were given with the issue. */
export function Attachments({ id, files }: AttachmentsProps) {
  const [path, setPath] = useState<string | null>(null);
  return (
    <>
      <ul aria-label="Attached files">
        {files.map((file) => (
          <li key={file.path} className="border-t border-line first:border-t-0">
            <button
              type="button"
              onClick={() => setPath(file.path)}
              className="flex w-full items-center gap-2 px-4 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <Paperclip aria-hidden className="size-4 shrink-0 text-subtle" />
              <span className="min-w-0 flex-1 truncate text-sm">{shown(file.name)}</span>
              <span className="tabular shrink-0 text-xs text-muted">{formatBytes(file.bytes)}</span>
            </button>
          </li>
        ))}
      </ul>
      {path !== null && (
        <FileViewer id={id} path={path} isPast={false} onClose={() => setPath(null)} />
      )}
    </>
  );
}
