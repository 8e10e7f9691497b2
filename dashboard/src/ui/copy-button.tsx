import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from '@/lib/clipboard';
import { IconButton } from '@/ui/icon-button';
import { LiveRegion } from '@/ui/live-region';

type CopyButtonProps = { text: string; label?: string; className?: string };

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [result, setResult] = useState<'copied' | 'refused' | null>(null);

  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(null), 1_600);
    return () => clearTimeout(timer);
  }, [result]);

  const copy = async () => setResult((await copyText(text)) ? 'copied' : 'refused');
  return (
    <>
      <IconButton
        aria-label={label}
        size="sm"
        {...(className ? { className } : {})}
        icon={icon(result)}
        onClick={() => void copy()}
      />
      <LiveRegion message={said(result)} />
    </>
  );
}

function icon(result: 'copied' | 'refused' | null) {
  if (result === 'copied') return <Check className="text-done" />;
  if (result === 'refused') return <X className="text-failed" />;
  return <Copy />;
}

function said(result: 'copied' | 'refused' | null): string {
  if (result === null) return '';
  return result === 'copied' ? 'Copied' : 'Your browser blocked copying';
}
