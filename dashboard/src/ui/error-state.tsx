import { RotateCcw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';

type ErrorStateProps = {
  title: string;
  /** What went wrong, in the server's words. */
  message?: ReactNode;
  /** What the person can do about it. */
  hint?: ReactNode;
  onRetry?: () => void;
  retrying?: boolean;
  requestId?: string;
  size?: 'page' | 'panel';
  className?: string;
};

export function ErrorState(props: ErrorStateProps) {
  const { title, message, hint, onRetry, retrying = false, requestId, className } = props;
  return (
    <div
      role="alert"
      className={cn(
        'flex flex-col items-center justify-center gap-1.5 px-6 text-center',
        props.size === 'page' ? 'min-h-[60vh] py-16' : 'py-10',
        className,
      )}
    >
      <div
        aria-hidden
        className="mb-2 flex size-11 items-center justify-center rounded-xl bg-failed-soft text-failed"
      >
        <TriangleAlert className="size-5" />
      </div>
      <p className="text-base font-semibold text-fg">{title}</p>
      {message && (
        <div className="max-w-140 text-sm text-pretty wrap-anywhere text-muted">
          <CodedText>{message}</CodedText>
        </div>
      )}
      {hint && (
        <div className="max-w-140 text-sm text-pretty text-fg">
          <CodedText>{hint}</CodedText>
        </div>
      )}
      {onRetry && (
        <Button className="mt-3" onClick={onRetry} loading={retrying} icon={<RotateCcw />}>
          Try again
        </Button>
      )}
      {requestId && <p className="mt-2 font-mono text-2xs text-subtle">request {requestId}</p>}
    </div>
  );
}
