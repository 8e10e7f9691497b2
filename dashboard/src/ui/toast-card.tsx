import { CircleCheck, CircleX, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { dismissToast, type Toast } from '@/lib/toast';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { CommandBox } from '@/ui/command-box';
import { IconButton } from '@/ui/icon-button';

type ToastCardProps = { toast: Toast };

const icons = {
  neutral: <Info className="text-subtle" />,
  success: <CircleCheck className="text-done" />,
  warning: <TriangleAlert className="text-needs-you" />,
  error: <CircleX className="text-failed" />,
};

export function ToastCard({ toast }: ToastCardProps) {
  const { id, title, description, tone, command, action, duration } = toast;
  const [held, setHeld] = useState(false);

  useEffect(() => {
    if (held || duration === null) return;
    const timer = setTimeout(() => dismissToast(id), duration);
    return () => clearTimeout(timer);
  }, [id, duration, held]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only holds the timer; nothing to operate.
    <div
      {...(tone === 'error' ? { role: 'alert' } : {})}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full max-w-96 animate-pop-in items-start gap-2.5 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 shadow-high"
    >
      <span aria-hidden className="mt-1.5 [&_svg]:size-4">
        {icons[tone]}
      </span>
      <div className="min-w-0 flex-1 py-1">
        <p className="text-sm font-medium wrap-anywhere">
          <CodedText>{title}</CodedText>
        </p>
        {description && (
          <p className="text-xs wrap-anywhere text-muted">
            <CodedText>{description}</CodedText>
          </p>
        )}
        {command && (
          <div className="mt-1.5 flex flex-col gap-1">
            <p className="text-xs text-muted">{command.label}</p>
            <CommandBox command={command.text} />
          </div>
        )}
      </div>
      {action && (
        <Button
          size="sm"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        aria-label="Dismiss"
        tooltip={false}
        size="sm"
        icon={<X />}
        onClick={() => dismissToast(id)}
      />
    </div>
  );
}
