import { useEffect, useState } from 'react';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { isSame } from '@/model/settings/document-edit';
import { documentText, parseProfile } from '@/model/settings/profile-document';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';

type ProfileJsonProps = {
  draft: ProfileDraft;
  /** The text is no profile at the moment. */
  onBroken: (broken: boolean) => void;
};

/** The whole profile as text. It is the same document as the form's, as soon as it can be read. */
export function ProfileJson({ draft, onBroken }: ProfileJsonProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null ? null : parseProfile(typed);
  const problem = parsed && 'problem' in parsed ? parsed.problem : undefined;
  const isOwn =
    parsed && (problem || ('document' in parsed && isSame(parsed.document, draft.draft)));
  const text = isOwn && typed !== null ? typed : documentText(draft.draft);

  // Leaving this view discards the broken text.
  useEffect(() => () => onBroken(false), [onBroken]);

  const type = (next: string) => {
    setTyped(next);
    const read = parseProfile(next);
    onBroken('problem' in read);
    if ('document' in read) draft.replaceAll(read.document);
  };
  return (
    <div className="pb-6">
      <Field
        label="Profile as JSON"
        hint="All settings, including those the form does not show. Secrets are referenced by variable name and never stored."
        error={problem && 'This is not valid JSON yet. The last valid version is used.'}
        aside={problem && <span className="text-failed">Not read yet: {problem}</span>}
      >
        {(control) => (
          <Textarea
            {...control}
            mono
            minRows={24}
            maxRows={36}
            spellCheck={false}
            value={text}
            onChange={(event) => type(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}
