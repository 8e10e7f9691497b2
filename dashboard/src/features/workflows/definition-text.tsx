import { RotateCcw } from 'lucide-react';
import { useRef } from 'react';
import {
  type Checked,
  type DefinitionKind,
  offsetOf,
  problemLines,
} from '@/model/workflows/definition';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { LineEditor } from '@/ui/line-editor';
import type { DefinitionProblem } from '@/wire/DefinitionProblem';
import { ProblemList } from './problem-list';

type DefinitionTextProps = {
  kind: DefinitionKind;
  text: string;
  /** As it is in the file. */
  saved: string;
  path: string;
  checked: Checked;
  /** Why the text could not be checked. */
  error: Error | null;
  isChecking: boolean;
  onChange: (text: string) => void;
};

/** The text of the file. What is typed is checked, and not saved. */
export function DefinitionText(props: DefinitionTextProps) {
  const { kind, text, saved, path, checked, error, isChecking, onChange } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const show = ({ line, column }: DefinitionProblem) => {
    const at = offsetOf(text, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  const isChanged = text !== saved;
  return (
    <Card
      title="File"
      className="min-w-0 lg:col-start-1"
      description={
        isChanged ? (
          <>
            Checked as you type, and not saved: copy it to <code>{path}</code>.
          </>
        ) : (
          'Edit it here to check a change. Nothing is saved.'
        )
      }
      actions={
        <>
          {isChanged && (
            <Button size="sm" variant="ghost" icon={<RotateCcw />} onClick={() => onChange(saved)}>
              Discard
            </Button>
          )}
          <CopyButton text={text} label="Copy the text" />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ProblemList
          id="definition-problems"
          problems={checked.problems}
          error={error}
          isChecking={isChecking}
          onShow={show}
        />
        <LineEditor
          ref={area}
          label={`Text of the ${kind}`}
          aria-describedby="definition-problems"
          text={text}
          marked={problemLines(checked.problems)}
          onChange={onChange}
        />
      </div>
    </Card>
  );
}
