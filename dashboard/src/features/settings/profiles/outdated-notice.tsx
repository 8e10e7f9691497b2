import { Notice } from '@/features/settings/parts/notice';
import { Button } from '@/ui/button';

type OutdatedNoticeProps = { onTakeTheirs: () => void; onKeepMine: () => void };

/** Another person has saved the profile since this one began to edit it. */
export function OutdatedNotice({ onTakeTheirs, onKeepMine }: OutdatedNoticeProps) {
  return (
    <Notice
      tone="warning"
      title="This profile was changed by someone else"
      actions={
        <>
          <Button size="sm" onClick={onTakeTheirs}>
            Use their version
          </Button>
          <Button size="sm" onClick={onKeepMine}>
            Keep my changes
          </Button>
        </>
      }
    >
      Saving now would overwrite it with your version.
    </Notice>
  );
}
