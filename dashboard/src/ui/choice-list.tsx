import { useShortcut } from '@/lib/use-shortcut';
import { Kbd } from '@/ui/kbd';

type ChoiceListProps = {
  choices: string[];
  /** Whether the digits mean these. */
  isInScope?: () => boolean;
  onChoose: (choice: string) => void;
};

const always = () => true;

/** Answers to choose from, each with a digit. */
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
  useShortcut(
    { keys: digit ?? '', label: choice, group: 'Needs you', when: digit !== null },
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
      <span className="min-w-0 flex-1 wrap-anywhere">{choice}</span>
    </button>
  );
}
