import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react';
import { cn } from '@/lib/cn';

type AttachAreaProps = { onFiles: (files: File[]) => void; children: ReactNode };

/** Takes files that are dropped on it or pasted into it. Text is left to the field that it is pasted into. */
export function AttachArea({ onFiles, children }: AttachAreaProps) {
  const [isOver, setOver] = useState(false);
  const take = (event: DragEvent | ClipboardEvent, given: FileList | undefined) => {
    if (!given || given.length === 0) return;
    event.preventDefault();
    onFiles([...given]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are second ways; the button inside is the first.
    <div
      className={cn('flex flex-col gap-4 rounded-md', isOver && 'outline-2 outline-accent')}
      onPaste={(event) => take(event, event.clipboardData?.files)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        take(event, event.dataTransfer.files);
      }}
    >
      {children}
    </div>
  );
}
