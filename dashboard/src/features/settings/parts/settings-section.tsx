import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type SettingsSectionProps = {
  /** One or two sentences: what this page is for. */
  intro?: ReactNode;
  /** On the right of the intro. */
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
};

/** The measure and the rhythm that all pages of the settings share. */
export function SettingsSection({ intro, actions, children, className }: SettingsSectionProps) {
  return (
    <div className={cn('flex max-w-250 flex-col gap-4 px-4 py-5 md:px-6', className)}>
      {(intro || actions) && (
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <p className="min-w-60 flex-1 text-sm text-pretty text-muted">{intro}</p>
          {actions && <div className="flex shrink-0 items-center gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </div>
  );
}
