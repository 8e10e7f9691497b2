import { Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { formatBytes } from '@/lib/format';
import { Button } from '@/ui/button';
import { IconButton } from '@/ui/icon-button';
import { type Form, idOf } from './form';
import type { AttachedFilesState } from './use-attached-files';

type AttachedFilesProps = Pick<Form, 'errorOf'> & { attached: AttachedFilesState };

/** Files for the agents: screenshots, logs, samples. */
export function AttachedFiles({ attached, errorOf }: AttachedFilesProps) {
  const picker = useRef<HTMLInputElement>(null);
  const error = errorOf('attachments');
  const wrong = error ? [...attached.refused, error] : attached.refused;
  return (
    <div className="flex flex-col gap-2">
      <input
        ref={picker}
        type="file"
        multiple
        className="hidden"
        aria-label="Files to attach"
        onChange={(event) => {
          attached.add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          id={idOf('attachments')}
          size="sm"
          icon={<Paperclip />}
          onClick={() => picker.current?.click()}
        >
          Attach files
        </Button>
        <p className="text-xs text-muted">Or drop or paste them here. Agents can read them.</p>
      </div>
      {attached.files.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-col gap-1">
          {attached.files.map((file, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name and size.
              key={`${index} ${file.name}`}
              className="flex items-center gap-2 rounded-md border border-line bg-sunken/50 py-1 pr-1 pl-3 text-sm"
            >
              <span className="min-w-0 flex-1 truncate">{file.name}</span>
              <span className="text-xs text-muted">{formatBytes(file.size)}</span>
              <IconButton
                size="sm"
                aria-label={`Remove ${file.name}`}
                icon={<X />}
                onClick={() => attached.remove(file)}
              />
            </li>
          ))}
        </ul>
      )}
      <div role="status" className="text-xs text-failed">
        {wrong.map((message) => (
          <p key={message}>{message}</p>
        ))}
      </div>
    </div>
  );
}
