import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { CodedText } from '@/ui/coded-text';

type NoticeProps = {
  tone?: 'info' | 'warning' | 'error';
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
};

const tones = {
  info: { box: 'border-line bg-panel', icon: <Info className="text-subtle" /> },
  warning: {
    box: 'border-needs-you/30 bg-needs-you-soft',
    icon: <TriangleAlert className="text-needs-you" />,
  },
  error: {
    box: 'border-failed/30 bg-failed-soft',
    icon: <CircleAlert className="text-failed" />,
  },
};

/** Something to know before going on, where the person is looking. */
export function Notice({ tone = 'info', title, children, actions }: NoticeProps) {
  const { box, icon } = tones[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={cn(
        'flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border px-3 py-2.5',
        box,
      )}
    >
      <span aria-hidden className="mt-0.5 [&_svg]:size-4">
        {icon}
      </span>
      <div className="min-w-48 flex-1 text-sm">
        <p className="font-medium">
          <CodedText>{title}</CodedText>
        </p>
        {children && (
          <div className="text-muted">
            <CodedText>{children}</CodedText>
          </div>
        )}
      </div>
      {actions && <div className="flex shrink-0 items-center gap-2">{actions}</div>}
    </div>
  );
}
