import { type ReactNode, useState } from 'react';
import { Input } from '@/ui/input';

export type AddInputProps = {
  /** What is added: "command". */
  item: string;
  placeholder?: string;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

type Handlers = {
  /** Takes what was typed; never nothing. */
  onAdd: (text: string) => void;
  /** Adds, like Enter. */
  endsWith?: string;
  onBackspace?: () => void;
  /** Behind the field, while something is typed or not. */
  button?: (add: () => void, isEmpty: boolean) => ReactNode;
};

/** The field at the end of a list: what is typed there is added by Enter, or by leaving it. */
export function AddInput(props: AddInputProps & Handlers) {
  const { item, placeholder, onAdd, endsWith, onBackspace, button, ...control } = props;
  const [fresh, setFresh] = useState('');
  const isEmpty = fresh.trim() === '';
  const add = () => {
    if (!isEmpty) onAdd(fresh);
    setFresh('');
  };
  return (
    <>
      <Input
        {...control}
        mono
        spellCheck={false}
        autoComplete="off"
        value={fresh}
        placeholder={placeholder ? `Add a ${item}: ${placeholder}` : `Add a ${item}`}
        onChange={(event) => setFresh(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === endsWith) {
            event.preventDefault();
            add();
          } else if (event.key === 'Backspace' && fresh === '') onBackspace?.();
        }}
      />
      {button?.(add, isEmpty)}
    </>
  );
}
