import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { Textarea } from '@/ui/textarea';

type Choice = { value: string; label: string };

export type FormControl =
  | { type: 'text'; format: 'email' | 'uri' | 'date' | 'date-time' | null; isLong: boolean }
  | { type: 'number'; isWhole: boolean }
  | { type: 'switch' }
  | { type: 'choice'; choices: Choice[]; canBeNone: boolean }
  | { type: 'choices'; choices: Choice[] };

export type FormValue = string | boolean | string[];

export type FormField = {
  name: string;
  label: string;
  hint: string | null;
  isRequired: boolean;
  /** How much may be filled in, in a few words. */
  bounds: string | null;
  /** In the field while it is empty. */
  placeholder: string | null;
  control: FormControl;
};

type FieldControlProps = {
  field: FormField;
  value: FormValue;
  error: string | undefined;
  onChange: (value: FormValue) => void;
};

const TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' };
const NONE = 'none';

/** A field of a form: its name, its control, what it means, and what is wrong with it. */
export function FieldControl({ field, value, error, onChange }: FieldControlProps) {
  const { control, label, hint } = field;
  if (control.type === 'switch')
    return <Checkbox label={label} hint={hint} checked={value === true} onChange={onChange} />;
  if (control.type === 'choices')
    return <Choices {...{ field, error, onChange }} {...control} chosen={listOf(value)} />;
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      required={field.isRequired}
      aside={field.bounds}
      className="min-w-0"
    >
      {(described) => {
        const own = { ...described, 'aria-required': field.isRequired };
        if (control.type === 'choice')
          return (
            <Select
              {...own}
              value={value === '' ? (control.canBeNone ? NONE : undefined) : String(value)}
              onChange={(next) => onChange(next === NONE ? '' : next)}
              options={optionsOf(control)}
            />
          );
        const typed = {
          ...own,
          name: field.name,
          value: String(value),
          placeholder: field.placeholder ?? undefined,
          onChange: (event: { target: { value: string } }) => onChange(event.target.value),
        };
        if (control.type === 'number')
          return <Input {...typed} inputMode={control.isWhole ? 'numeric' : 'decimal'} />;
        if (control.isLong) return <Textarea {...typed} minRows={2} maxRows={8} />;
        const type = control.format ? TYPES[control.format] : 'text';
        return <Input {...typed} type={type} step={type === 'datetime-local' ? 1 : undefined} />;
      }}
    </Field>
  );
}

/** By their places: a value may be empty, or there twice. */
function optionsOf({ choices, canBeNone }: Extract<FormControl, { type: 'choice' }>) {
  const options = choices.map(({ label }, place) => ({ value: String(place), label }));
  return canBeNone ? [{ value: NONE, label: 'No answer' }, ...options] : options;
}

const listOf = (value: FormValue) => (Array.isArray(value) ? value : []);

type ChoicesProps = Pick<FieldControlProps, 'field' | 'error' | 'onChange'> & {
  choices: Choice[];
  chosen: string[];
};

function Choices({ field, error, choices, chosen, onChange }: ChoicesProps) {
  const toggle = (one: string, isChosen: boolean) =>
    onChange(
      choices
        .map(({ value }) => value)
        .filter((value) => (value === one ? isChosen : chosen.includes(value))),
    );
  return (
    <Field
      label={field.label}
      hint={field.hint}
      error={error}
      required={field.isRequired}
      aside={field.bounds}
      isGroup
      className="min-w-0"
    >
      {({ id, ...described }) => (
        <div id={id} className="flex flex-wrap gap-x-4 gap-y-1.5 py-1">
          {choices.map(({ value, label }) => (
            <Checkbox
              key={value}
              label={label}
              {...described}
              checked={chosen.includes(value)}
              onChange={(isChosen) => toggle(value, isChosen)}
            />
          ))}
        </div>
      )}
    </Field>
  );
}
