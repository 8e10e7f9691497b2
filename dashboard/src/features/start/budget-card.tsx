import type { FieldName } from '@/model/start/draft-problems';
import { Card } from '@/ui/card';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import type { Budget } from '@/wire/Budget';
import { type Form, idOf } from './form';
import { type Amount, limitLabel } from './limit-labels';

type BudgetCardProps = Form & {
  /** The profile's limits: they hold when nothing is typed. */
  usual: Budget | undefined;
  /** The server's: they always hold. */
  ceiling: Budget | undefined;
};

type AmountField = {
  field: FieldName & ('usd' | 'tokens' | 'calls' | 'minutes');
  amount: Amount;
  label: string;
  unit: string;
};

const fields: AmountField[] = [
  { field: 'usd', amount: 'usd', label: 'Cost', unit: 'USD' },
  { field: 'tokens', amount: 'tokens', label: 'Tokens', unit: '' },
  { field: 'calls', amount: 'calls', label: 'Calls', unit: '' },
  { field: 'minutes', amount: 'wall_seconds', label: 'Time', unit: 'min' },
];

export function BudgetCard({ draft, change, errorOf, usual, ceiling }: BudgetCardProps) {
  return (
    <Card
      title="Budget"
      description="The run stops and asks at a limit, or at most one model call past it. Leave empty to use the profile’s limit."
    >
      <div className="grid grid-cols-2 gap-x-3 gap-y-4 lg:grid-cols-4">
        {fields.map(({ field, amount, label, unit }) => (
          <Field
            key={field}
            label={label}
            id={idOf(field)}
            error={errorOf(field)}
            hint={<Limits usual={usual} ceiling={ceiling} amount={amount} />}
          >
            {(control) => (
              <Input
                {...control}
                mono
                inputMode="decimal"
                value={draft[field]}
                onChange={(event) => change({ [field]: event.target.value })}
                placeholder={typedAs(usual, amount)}
                trailing={unit || undefined}
              />
            )}
          </Field>
        ))}
      </div>
    </Card>
  );
}

/** A limit as it would be typed here. */
function typedAs(budget: Budget | undefined, amount: Amount): string {
  const limit = budget?.[amount] ?? null;
  if (limit === null) return 'no limit';
  return String(amount === 'wall_seconds' ? Number((limit / 60).toFixed(2)) : limit);
}

type LimitsProps = Pick<BudgetCardProps, 'usual' | 'ceiling'> & { amount: Amount };

function Limits({ usual, ceiling, amount }: LimitsProps) {
  const ofProfile = limitLabel(usual, amount);
  const ofServer = limitLabel(ceiling, amount);
  return (
    <>
      <span className="block">profile: {ofProfile ?? 'none'}</span>
      <span className="block">server: {ofServer ? `at most ${ofServer}` : 'none'}</span>
    </>
  );
}
