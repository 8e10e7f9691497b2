import type { ReactNode } from 'react';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';

type SaveBarProps = {
  changes: number;
  /** Something is wrong that has to be fixed first. */
  faults: number;
  label: string;
  saving?: boolean;
  onDiscard: () => void;
  onSave: () => void;
  children?: ReactNode;
};

/** Stays at the bottom while there is something to save. */
export function SaveBar(props: SaveBarProps) {
  const { changes, faults, label, saving = false, onDiscard, onSave, children } = props;
  if (changes === 0) return null;
  return (
    <section
      aria-label="Unsaved changes"
      className="sticky bottom-0 z-20 -mx-4 mt-2 flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2.5 shadow-mid md:-mx-6 md:px-6"
    >
      <p role="status" className="min-w-0 flex-1 text-sm font-medium">
        {plural(changes, 'unsaved change')}
        {faults > 0 && (
          <span className="ml-2 font-normal text-failed">
            {plural(faults, 'field')} to fix first
          </span>
        )}
      </p>
      {children}
      <Button onClick={onDiscard} disabled={saving}>
        Discard
      </Button>
      <Button variant="primary" onClick={onSave} loading={saving} disabled={faults > 0}>
        {label}
      </Button>
    </section>
  );
}
