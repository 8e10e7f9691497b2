import { Download } from 'lucide-react';
import { download } from '@/lib/download';
import { cli } from '@/model/cli/cli';
import type { RunLog } from '@/model/run/run-log';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import type { Diff } from '@/wire/Diff';

type DownloadsProps = {
  /** Its short id, as in a terminal. */
  run: string;
  log: RunLog;
  diff: Diff | null;
  at: number | null;
};

export function Downloads({ run, log, diff, at }: DownloadsProps) {
  const events = () => log.events.slice(0, at === null ? undefined : log.indexAfter(at));
  const saveLog = () => {
    const lines = events().map((event) => JSON.stringify(event));
    download(`${run}.jsonl`, `${lines.join('\n')}\n`, 'application/jsonl');
  };
  const commands = [cli.diff(run), cli.exportRecord(run, `${run}.jsonl`), cli.replay(run)];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Download />}
          disabled={!diff || diff.diff === ''}
          onClick={() => diff && download(`${run}.patch`, diff.diff, 'text/x-patch')}
        >
          Patch{diff?.is_cut ? ' (cut)' : ''}
        </Button>
        <Button size="sm" icon={<Download />} disabled={log.lastSeq === 0} onClick={saveLog}>
          Log (JSON Lines)
        </Button>
      </div>
      <ul className="flex flex-col gap-1">
        {commands.map((command) => (
          <li key={command} className="flex items-center gap-1 rounded-md bg-sunken pr-1 pl-2.5">
            <code className="min-w-0 flex-1 truncate text-xs text-code-fg" title={command}>
              {command}
            </code>
            <CopyButton text={command} label="Copy command" />
          </li>
        ))}
      </ul>
    </div>
  );
}
