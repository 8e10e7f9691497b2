import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { type StatusToken, statusTones } from '@/ui/tones';

type BadgeProps = {
  children: ReactNode;
  tone?: 'neutral' | 'accent' | 'outline' | StatusToken;
  icon?: ReactNode;
  mono?: boolean;
  title?: string;
  className?: string;
};

export function Badge({ children, tone = 'neutral', icon, mono, title, className }: BadgeProps) {
  return (
    <span
      title={title}
      className={cn(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 text-2xs font-medium whitespace-nowrap [&_svg]:size-3',
        mono && 'tabular font-mono',
        toneClasses(tone),
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}

function toneClasses(tone: NonNullable<BadgeProps['tone']>): string {
  if (tone === 'neutral') return 'bg-pressed/70 text-muted';
  if (tone === 'accent') return 'bg-accent-soft text-accent-text';
  if (tone === 'outline') return 'border border-line-strong text-muted';
  return cn(statusTones[tone].soft, statusTones[tone].text);
}
