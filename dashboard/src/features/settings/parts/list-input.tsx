import { ArrowUp, Plus, X } from 'lucide-react';
import { AddInput, type AddInputProps } from '@/features/settings/parts/add-input';
import { IconButton } from '@/ui/icon-button';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';

type ListInputProps = AddInputProps & {
  values: readonly string[];
  onChange: (values: string[]) => void;
};

/** Texts in order, a line for each; the last line takes a new one. */
export function ListInput(props: ListInputProps) {
  const { values, onChange, ...adding } = props;
  const { item, disabled = false } = adding;
  const replace = (index: number, text: string) =>
    onChange(values.map((value, at) => (at === index ? text : value)));
  const raise = (index: number) => {
    const next = [...values];
    next.splice(index - 1, 0, ...next.splice(index, 1));
    onChange(next);
  };
  return (
    <div className="flex flex-col gap-1.5">
      {values.map((value, index) => {
        const control = {
          'aria-label': `${item} ${index + 1}`,
          value,
          disabled,
          mono: true,
          spellCheck: false,
        };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place.
          <div key={index} className="flex items-start gap-1">
            {value.includes('\n') ? (
              <Textarea
                {...control}
                minRows={1}
                onChange={(event) => replace(index, event.target.value)}
              />
            ) : (
              <Input {...control} onChange={(event) => replace(index, event.target.value)} />
            )}
            <IconButton
              aria-label={`Move ${item} ${index + 1} up`}
              disabled={disabled || index === 0}
              icon={<ArrowUp />}
              onClick={() => raise(index)}
            />
            <IconButton
              aria-label={`Remove ${item} ${index + 1}`}
              disabled={disabled}
              icon={<X />}
              onClick={() => onChange(values.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      <div className="flex items-center gap-1">
        <AddInput
          {...adding}
          onAdd={(text) => onChange([...values, text])}
          button={(add, isEmpty) => (
            <IconButton
              aria-label={`Add ${item}`}
              disabled={disabled || isEmpty}
              icon={<Plus />}
              onClick={add}
            />
          )}
        />
        <span aria-hidden className="w-8 shrink-0" />
      </div>
    </div>
  );
}
