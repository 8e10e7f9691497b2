import { useState } from 'react';
import { type BudgetWanted, useResume } from '@/api/actions';
import { toast } from '@/lib/toast';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import type { Budget } from '@/wire/Budget';

type LimitsDialogProps = {
  run: string;
  budget: Budget;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

type Name = keyof Budget;

const UNITS: Record<Name, string> = {
  usd: 'USD',
  tokens: 'tokens',
  calls: 'model calls',
  wall_seconds: 'seconds of work',
};
const NAMES: Name[] = ['usd', 'tokens', 'calls', 'wall_seconds'];

/** Other limits, and on it goes. */
export function LimitsDialog({ run, budget, open, onOpenChange }: LimitsDialogProps) {
  const set = NAMES.filter((name) => budget[name] !== null);
  const [texts, setTexts] = useState<Partial<Record<Name, string>>>({});
  const resume = useResume();
  const textOf = (name: Name) => texts[name] ?? String((budget[name] ?? 0) * 2);
  const isWrong = (name: Name) => !(Number(textOf(name)) > 0);
  const send = () => {
    if (set.some(isWrong)) return;
    const wanted: BudgetWanted = {};
    for (const name of set) wanted[name] = Number(textOf(name));
    resume.mutate(
      { run, budget: wanted },
      {
        onSuccess: () => {
          onOpenChange(false);
          toast({ title: 'Goes on with the new budget', tone: 'success' });
        },
      },
    );
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="sm"
      title="Raise the budget"
      description="The new limit counts for the whole run, with what it has used already."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Keep waiting</Button>
          <Button
            variant="primary"
            loading={resume.isPending}
            disabled={set.some(isWrong)}
            onClick={send}
          >
            Raise and resume
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {set.map((name) => (
          <Field
            key={name}
            label={`Limit in ${UNITS[name]}`}
            hint={`Now ${budget[name]}`}
            {...(isWrong(name) ? { error: 'A number above zero' } : {})}
          >
            {(control) => (
              <Input
                {...control}
                mono
                inputMode="decimal"
                value={textOf(name)}
                onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
                onKeyDown={(event) => event.key === 'Enter' && send()}
              />
            )}
          </Field>
        ))}
      </div>
    </Dialog>
  );
}
