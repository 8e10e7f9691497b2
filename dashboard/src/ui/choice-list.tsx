import { useRef, useState } from 'react';
import { useShortcut } from '@/lib/use-shortcut';
import { Kbd } from '@/ui/kbd';

type ChoiceListProps = {
  choices: string[];
  /** Whether the digits mean these. */
  isInScope?: () => boolean;
  onChoose: (choice: string) => void;
};

const always = () => true;

/** Answers to choose from. A digit selects one, Enter or A sends it; a click does both. */
export function ChoiceList({ choices, isInScope = always, onChoose }: ChoiceListProps) {
  if (choices.length === 0) return null;
  return (
    <ul aria-label="Suggested answers" className="flex max-w-3xl flex-col gap-1.5">
      {choices.map((choice, index) => (
        <li key={choice}>
          <Choice
            choice={choice}
            digit={index < 9 ? String(index + 1) : null}
            isInScope={isInScope}
            onChoose={() => onChoose(choice)}
          />
        </li>
      ))}
    </ul>
  );
}

type ChoiceProps = {
  choice: string;
  digit: string | null;
  isInScope: () => boolean;
  onChoose: () => void;
};

function Choice({ choice, digit, isInScope, onChoose }: ChoiceProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isSelected, setSelected] = useState(false);
  const group = 'Needs you';
  useShortcut({ keys: digit ?? '', label: choice, group, when: digit !== null }, () => {
    if (isInScope()) button.current?.focus();
  });
  useShortcut({ keys: 'a', label: `Send: ${choice}`, group, when: isSelected }, () => {
    if (isInScope()) onChoose();
  });
  return (
    <button
      ref={button}
      type="button"
      onClick={onChoose}
      onFocus={() => setSelected(true)}
      onBlur={() => setSelected(false)}
      className="flex min-h-8 w-full items-center gap-2.5 rounded-md border border-line-strong bg-panel px-2.5 py-1.5 text-left shadow-low transition-colors hover:bg-hover"
    >
      {digit && <Kbd keys={digit} className="max-md:hidden" />}
      <span className="min-w-0 flex-1 wrap-anywhere">{choice}</span>
    </button>
  );
}
