import { FileText, Upload, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { cn } from '@/lib/cn';
import { formatBytes } from '@/lib/format';
import type { Attachment } from '@/model/start/draft';
import { Button } from '@/ui/button';
import { Collapsible } from '@/ui/collapsible';
import { IconButton } from '@/ui/icon-button';
import { Markdown } from '@/ui/markdown';
import { readDocument } from './read-document';

type DocumentDropProps = {
  id: string;
  label: string;
  hint: string;
  value: Attachment | null;
  onChange: (value: Attachment | null) => void;
  error?: string | undefined;
};

/** A text file, dropped or chosen. */
export function DocumentDrop({ id, label, hint, value, onChange, error }: DocumentDropProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    const read = await readDocument(file);
    setRefused(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onChange(read);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const wrong = refused ?? error;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button inside is the first.
    <div
      className={cn(
        'min-w-0 rounded-md border border-dashed px-3 py-2.5 transition-colors',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
        value && !isOver && 'border-solid border-line bg-sunken/50',
        wrong && !isOver && 'border-failed',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={picker}
        type="file"
        accept=".md,.markdown,.txt,.rst,.adoc,text/*"
        className="hidden"
        aria-label={`${label} file`}
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <div className="flex min-h-8 items-center gap-2">
        <FileText aria-hidden className="size-4 shrink-0 text-subtle" />
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium">{value ? value.name : label}</p>
          <p className="text-xs text-muted">
            {value ? `${label}, ${formatBytes(value.size)}` : hint}
          </p>
        </div>
        {value ? (
          <IconButton
            id={id}
            size="sm"
            aria-label={`Remove ${value.name}`}
            icon={<X />}
            onClick={() => onChange(null)}
          />
        ) : (
          <Button
            id={id}
            size="sm"
            icon={<Upload />}
            aria-label={`Choose a ${label.toLowerCase()} file`}
            onClick={() => picker.current?.click()}
          >
            Choose
          </Button>
        )}
      </div>
      {value && (
        <Collapsible title="Preview" className="mt-1 -ml-1.5">
          <div className="scroll-quiet max-h-72 overflow-y-auto text-sm">
            <Markdown text={value.text} />
          </div>
        </Collapsible>
      )}
      <p role="status" className={cn('text-xs text-failed', wrong && 'mt-1')}>
        {wrong}
      </p>
    </div>
  );
}
