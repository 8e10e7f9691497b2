import { useShortcut } from '@/lib/use-shortcut';
import { Button } from '@/ui/button';

type SaveButtonProps = {
  /** `null` while it cannot be saved. */
  run: (() => void) | null;
  isSaving: boolean;
  /** Problems of the text. */
  count: number;
};

/** Saves a team on the server; what has problems is not saved. */
export function SaveButton({ run, isSaving, count }: SaveButtonProps) {
  const canSave = run !== null && count === 0 && !isSaving;
  const save = () => void (canSave && run());
  useShortcut(
    { keys: 'mod+s', label: 'Save the team', group: 'Team', inInputs: true, when: canSave },
    save,
  );
  return (
    <Button
      size="sm"
      variant="primary"
      shortcut="mod+s"
      loading={isSaving}
      disabled={!canSave}
      onClick={save}
    >
      Save
    </Button>
  );
}
