import { useShortcut } from '@/lib/use-shortcut';
import { Kbd } from '@/ui/kbd';

type OptionListProps = {
  options: string[];
  isInScope: () => boolean;
  onChoose: (option: string) => void;
};

/** Answers to choose from, each with a digit. */
export function OptionList({ options, isInScope, onChoose }: OptionListProps) {
  if (options.length === 0) return null;
  return (
    <ul aria-label="Answers to choose from" className="flex max-w-3xl flex-col gap-1.5">
      {options.map((option, index) => (
        <li key={option}>
          <OptionButton
            option={option}
            digit={index < 9 ? String(index + 1) : null}
            isInScope={isInScope}
            onChoose={() => onChoose(option)}
          />
        </li>
      ))}
    </ul>
  );
}

type OptionButtonProps = {
  option: string;
  digit: string | null;
  isInScope: () => boolean;
  onChoose: () => void;
};

function OptionButton({ option, digit, isInScope, onChoose }: OptionButtonProps) {
  useShortcut(
    { keys: digit ?? '', label: option, group: 'Needs you', when: digit !== null },
    () => {
      if (isInScope()) onChoose();
    },
  );
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex min-h-8 w-full items-center gap-2.5 rounded-md border border-line-strong bg-panel px-2.5 py-1.5 text-left shadow-low transition-colors hover:bg-hover"
    >
      {digit && <Kbd keys={digit} className="max-md:hidden" />}
      <span className="min-w-0 flex-1 wrap-anywhere">{option}</span>
    </button>
  );
}
