import { Scissors } from 'lucide-react';
import { cli } from '@/model/cli/cli';
import { CopyButton } from '@/ui/copy-button';

type CutNoticeProps = { run: string; shown: number; all: number };

/** The change is longer than what the server sends. */
export function CutNotice({ run, shown, all }: CutNoticeProps) {
  return (
    <div
      role="note"
      className="flex items-center gap-2 rounded-lg bg-needs-you-soft px-3 py-2 text-sm text-needs-you"
    >
      <Scissors aria-hidden className="size-4 shrink-0" />
      <span className="flex-1">
        This diff is too large to show in full
        {all > shown ? `: ${shown} of ${all} files are shown` : ''}. See all of it in a terminal:{' '}
        <code className="text-xs">{cli.diff(run)}</code>
      </span>
      <CopyButton text={cli.diff(run)} label="Copy command" />
    </div>
  );
}
