import { useState } from 'react';
import { isConflict, useReplacePrompt, useResetPrompt } from '@/api/settings';
import { toast, toastWithUndo } from '@/lib/toast';
import type { PromptShown } from '@/wire/PromptShown';

export type PromptDraft = ReturnType<typeof usePromptDraft>;

/** The text of a prompt as it is edited, and what saves it. */
export function usePromptDraft(prompt: PromptShown) {
  const { name } = prompt;
  const [typed, setTyped] = useState<string | null>(null);
  /** The saved text when the typing began. */
  const [base, setBase] = useState<string | null>(null);
  const replace = useReplacePrompt();
  const reset = useResetPrompt();
  const text = typed ?? prompt.text;
  const isChanged = typed !== null && typed !== prompt.text;

  const discard = () => {
    setBase(null);
    setTyped(null);
  };
  const type = (next: string) => {
    setBase(base ?? prompt.text);
    setTyped(next);
  };
  const save = (next: string, title: string) =>
    replace.mutate(
      { name, base: base ?? prompt.text, text: next },
      {
        onSuccess: () => {
          discard();
          toast({ title, tone: 'success' });
        },
        // Theirs is shown now: the next save is made knowing it.
        onError: (error) => isConflict(error) && setBase(null),
      },
    );
  const saveTyped = () => isChanged && save(text, `Saved a new version of ${name}`);
  const resetToShipped = (onSettled: () => void) =>
    reset.mutate(name, {
      onSuccess: (shipped) => {
        discard();
        const undo = () => replace.mutate({ name, base: shipped.text, text: prompt.text });
        toastWithUndo(`Reset ${name} to the default`, undo);
      },
      onSettled,
    });
  return {
    text,
    isChanged,
    error: replace.error,
    isSaving: replace.isPending,
    isResetting: reset.isPending,
    type,
    discard,
    saveTyped,
    restore: (version: number, old: string) => save(old, `Restored version ${version}`),
    resetToShipped,
  };
}
