import type { ReactNode } from 'react';

type RunSettingsProps = { children: ReactNode };

/** What is set for one run, apart from what its profile sets for all. */
export function RunSettings({ children }: RunSettingsProps) {
  return (
    <section aria-labelledby="run-settings" className="flex min-w-0 flex-col gap-4">
      <div className="mt-2 px-1">
        <h2 id="run-settings" className="text-base font-semibold tracking-tight">
          Only for this run
        </h2>
        <p className="text-xs text-muted">Optional. These settings do not change the profile.</p>
      </div>
      {children}
    </section>
  );
}
