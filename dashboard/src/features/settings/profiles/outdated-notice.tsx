import { Notice } from '@/features/settings/parts/notice';
import { Button } from '@/ui/button';

type OutdatedNoticeProps = { onTakeTheirs: () => void; onKeepMine: () => void };

/** Another person has saved the profile since this one began to edit it. */
export function OutdatedNotice({ onTakeTheirs, onKeepMine }: OutdatedNoticeProps) {
  return (
    <Notice
      tone="warning"
      title="This profile was changed elsewhere meanwhile"
      actions={
        <>
          <Button size="sm" onClick={onTakeTheirs}>
            Take theirs
          </Button>
          <Button size="sm" onClick={onKeepMine}>
            Keep mine on top
          </Button>
        </>
      }
    >
      Saving now would put your version in its place.
    </Notice>
  );
}
