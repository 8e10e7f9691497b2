import { Notice } from '@/features/settings/parts/notice';
import { PromptPreview } from '@/features/settings/prompts/prompt-preview';
import type { PromptDraft } from '@/features/settings/prompts/use-prompt-draft';
import { knownPrompts } from '@/model/settings/prompt-template';
import { CodedText } from '@/ui/coded-text';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import type { PromptShown } from '@/wire/PromptShown';

type PromptTextProps = { prompt: PromptShown; draft: PromptDraft };

/** The text of a prompt to edit, and beside it a preview. */
export function PromptText({ prompt, draft }: PromptTextProps) {
  const { name, problem } = prompt;
  return (
    <div className="flex flex-col gap-4 pb-4">
      {problem && !draft.isChanged && (
        <Notice tone="warning" title="The template has an error and is used as plain text">
          {problem}
        </Notice>
      )}
      {draft.error && (
        <Notice tone="error" title="Could not save the prompt">
          <CodedText>{draft.error.message}</CodedText>
        </Notice>
      )}
      <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Field
          label="Text"
          hint={`${knownPrompts[name]?.about ?? 'A prompt'}. Runs that have started keep their prompts.`}
        >
          {(control) => (
            <Textarea
              {...control}
              mono
              minRows={18}
              maxRows={60}
              spellCheck={false}
              value={draft.text}
              onChange={(event) => draft.type(event.target.value)}
            />
          )}
        </Field>
        <PromptPreview name={name} text={draft.text} />
      </div>
    </div>
  );
}
