import { LazyTextDiff } from '@/features/settings/parts/lazy-text-diff';
import { plural } from '@/lib/format';
import { changesOf, type JsonObject } from '@/model/settings/document-edit';
import { documentText } from '@/model/settings/profile-document';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';

type ReviewDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  name: string;
  before: JsonObject;
  after: JsonObject;
  saving: boolean;
  onSave: () => void;
};

/** What is about to be saved, line by line. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { open, onOpenChange, name, before, after, saving, onSave } = props;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="lg"
      title={`Save profile ${name}`}
      description={`${plural(changesOf(before, after).length, 'change')}. Runs that have started keep their settings.`}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)} disabled={saving}>
            Keep editing
          </Button>
          <Button variant="primary" loading={saving} onClick={onSave}>
            Save
          </Button>
        </>
      }
    >
      <LazyTextDiff
        label="Changes"
        before={documentText(before)}
        after={documentText(after)}
        maxHeight="50vh"
      />
    </Dialog>
  );
}
