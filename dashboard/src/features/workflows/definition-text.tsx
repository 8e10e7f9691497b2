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
import { CodedText } from '@/ui/coded-text';
import { CopyButton } from '@/ui/copy-button';
import { LineEditor } from '@/ui/line-editor';
import type { DefinitionProblem } from '@/wire/DefinitionProblem';
import { NoteList } from './note-list';
import { ProblemList } from './problem-list';
import { SaveButton } from './save-button';

type DefinitionTextProps = {
  kind: DefinitionKind;
  text: string;
  /** As it is in the file. */
  saved: string;
  /** Its path; `null` when it was sent to the API. */
  file: string | null;
  checked: Checked;
  /** Why the text could not be checked. */
  error: Error | null;
  isChecking: boolean;
  onChange: (text: string) => void;
  /** The text can be saved on the server; `run` is `null` while it cannot. */
  save?: { run: (() => void) | null; isSaving: boolean; error: string | null };
};

const SAVED_HERE = 'YAML or JSON, checked as you type. It is saved on this server.';
const NOT_SAVED = 'Edit it here to check a change. Nothing is saved.';

function CopyTo({ file }: { file: string | null }) {
  if (file === null) return 'Checked as you type, and not saved: send it to the API.';
  return (
    <>
      Checked as you type, and not saved: copy it to <code>{file}</code>.
    </>
  );
}

/** The text of the file. What is typed is checked, and saved only where the server keeps it. */
export function DefinitionText(props: DefinitionTextProps) {
  const { kind, text, saved, file, checked, error, isChecking, onChange, save } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const show = ({ line, column }: DefinitionProblem) => {
    const at = offsetOf(text, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  const isChanged = text !== saved;
  return (
    <Card
      title={file === null ? 'Definition' : 'File'}
      className="min-w-0 lg:col-start-1"
      description={save ? SAVED_HERE : isChanged ? <CopyTo file={file} /> : NOT_SAVED}
      actions={
        <>
          {isChanged && (
            <Button size="sm" variant="ghost" icon={<RotateCcw />} onClick={() => onChange(saved)}>
              Discard
            </Button>
          )}
          <CopyButton text={text} label="Copy the text" />
          {save && <SaveButton {...save} count={checked.problems.length} />}
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
        <NoteList notes={checked.notes} />
        {save?.error && (
          <p role="alert" className="text-xs text-pretty wrap-anywhere text-failed">
            <CodedText>{save.error}</CodedText>
          </p>
        )}
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
