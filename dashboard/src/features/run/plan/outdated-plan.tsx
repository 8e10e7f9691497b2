import { Button } from '@/ui/button';

type OutdatedPlanProps = { onTakeNew: () => void; onKeepMine: () => void };

/** The plan that the person edits has been replaced by a newer one. */
export function OutdatedPlan({ onTakeNew, onKeepMine }: OutdatedPlanProps) {
  return (
    <div role="alert" className="mb-2 flex flex-wrap items-center gap-2 text-sm">
      <p className="min-w-0 flex-1 basis-72 text-needs-you">
        The Architect wrote a new plan while you were editing the previous one.
      </p>
      <Button size="sm" onClick={onTakeNew}>
        Use new plan
      </Button>
      <Button size="sm" onClick={onKeepMine}>
        Keep my edits
      </Button>
    </div>
  );
}
