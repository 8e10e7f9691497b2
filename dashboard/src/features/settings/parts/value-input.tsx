import { JsonInput } from '@/features/settings/parts/json-input';
import { ListInput } from '@/features/settings/parts/list-input';
import { NumberInput } from '@/features/settings/parts/number-input';
import type { Kind } from '@/model/settings/form-field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { Switch } from '@/ui/switch';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { TagsInput } from './tags-input';

type ValueInputProps = {
  kind: Kind;
  value: JsonValue | undefined;
  onChange: (value: JsonValue) => void;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

const texts = (value: JsonValue | undefined): string[] | null => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
};

/** The control for a kind of value. A value of another kind is edited as JSON, so that it is never lost. */
export function ValueInput({ kind, value, onChange, ...control }: ValueInputProps) {
  const asJson = <JsonInput value={value} onChange={onChange} {...control} />;
  switch (kind.type) {
    case 'text':
    case 'variable': {
      if (value !== undefined && value !== null && typeof value !== 'string') return asJson;
      const isOptional = kind.type === 'text' && kind.optional;
      return (
        <Input
          {...control}
          mono={kind.type === 'variable' || kind.mono === true}
          spellCheck={false}
          autoComplete="off"
          value={value ?? ''}
          placeholder={kind.type === 'variable' ? 'OPENAI_API_KEY' : kind.placeholder}
          onChange={(event) =>
            onChange(isOptional && event.target.value === '' ? null : event.target.value)
          }
        />
      );
    }
    case 'number': {
      const { optional = false, unit, placeholder } = kind;
      return (
        <NumberInput
          {...control}
          value={value}
          onChange={onChange}
          optional={optional}
          {...(unit ? { unit } : {})}
          {...(placeholder ? { placeholder } : {})}
        />
      );
    }
    case 'switch':
      return <Switch {...control} checked={value === true} onChange={onChange} />;
    case 'choice':
      if (value !== undefined && typeof value !== 'string') return asJson;
      return <Select {...control} value={value} onChange={onChange} options={kind.choices} />;
    case 'list':
    case 'words': {
      const values = texts(value);
      if (!values) return asJson;
      const Control = kind.type === 'list' ? ListInput : TagsInput;
      const { item, placeholder } = kind;
      return (
        <Control
          {...control}
          values={values}
          onChange={onChange}
          item={item}
          {...(placeholder ? { placeholder } : {})}
        />
      );
    }
    case 'json':
      return asJson;
  }
}
